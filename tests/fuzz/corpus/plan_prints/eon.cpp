// Made by hand in the form of what Edge Impulse's EON compiles a model to: its tables, without the code around them.
constexpr int kTensorArenaSize = 1600;

template <int SZ, class T> struct TfArray {
  int sz; T elem[SZ];
};

const TfArray<4, int> tensor_dimension0 = { 4, { 1,8,8,1 } };
const ALIGN(16) int8_t tensor_data1[36] = { -116, -79, -42, -5, 32, 69, 106, -112, -75, -38, -1, 36, 73, 110, -108, -71, -34, 3, 40, 77, 114, -104, -67, -30, 7, 44, 81, 118, -100, -63, -26, 11, 48, 85, 122, -96, };
const TfArray<4, int> tensor_dimension1 = { 4, { 4,3,3,1 } };
const ALIGN(16) int32_t tensor_data2[4] = { -105, -68, -31, 6, };
const TfArray<1, int> tensor_dimension2 = { 1, { 4 } };
const TfArray<4, int> tensor_dimension3 = { 4, { 1,8,8,4 } };
const ALIGN(16) int8_t tensor_data4[36] = { -83, -46, -9, 28, 65, 102, -116, -79, -42, -5, 32, 69, 106, -112, -75, -38, -1, 36, 73, 110, -108, -71, -34, 3, 40, 77, 114, -104, -67, -30, 7, 44, 81, 118, -100, -63, };
const TfArray<4, int> tensor_dimension4 = { 4, { 1,3,3,4 } };
const TfArray<4, int> tensor_dimension5 = { 4, { 1,8,8,4 } };
const ALIGN(16) int8_t tensor_data6[36] = { -61, -24, 13, 50, 87, 124, -94, -57, -20, 17, 54, 91, -127, -90, -53, -16, 21, 58, 95, -123, -86, -49, -12, 25, 62, 99, -119, -82, -45, -8, 29, 66, 103, -115, -78, -41, };
const TfArray<4, int> tensor_dimension6 = { 4, { 1,3,3,4 } };
const TfArray<4, int> tensor_dimension7 = { 4, { 1,8,8,4 } };
const TfArray<4, int> tensor_dimension8 = { 4, { 1,8,8,4 } };
const ALIGN(16) int8_t tensor_data9[512] = { -28, 9, 46, 83, 120, -98, -61, -24, 13, 50, 87, 124, -94, -57, -20, 17, 54, 91, -127, -90, -53, -16, 21, 58, 95, -123, -86, -49, -12, 25, 62, 99, -119, -82, -45, -8, 29, 66, 103, -115, -78, -41, -4, 33, 70, 107, -111, -74, -37, 0, 37, 74, 111, -107, -70, -33, 4, 41, 78, 115, -103, -66, -29, 8, 45, 82, 119, -99, -62, -25, 12, 49, 86, 123, -95, -58, -21, 16, 53, 90, 127, -91, -54, -17, 20, 57, 94, -124, -87, -50, -13, 24, 61, 98, -120, -83, -46, -9, 28, 65, 102, -116, -79, -42, -5, 32, 69, 106, -112, -75, -38, -1, 36, 73, 110, -108, -71, -34, 3, 40, 77, 114, -104, -67, -30, 7, 44, 81, 118, -100, -63, -26, 11, 48, 85, 122, -96, -59, -22, 15, 52, 89, 126, -92, -55, -18, 19, 56, 93, -125, -88, -51, -14, 23, 60, 97, -121, -84, -47, -10, 27, 64, 101, -117, -80, -43, -6, 31, 68, 105, -113, -76, -39, -2, 35, 72, 109, -109, -72, -35, 2, 39, 76, 113, -105, -68, -31, 6, 43, 80, 117, -101, -64, -27, 10, 47, 84, 121, -97, -60, -23, 14, 51, 88, 125, -93, -56, -19, 18, 55, 92, -126, -89, -52, -15, 22, 59, 96, -122, -85, -48, -11, 26, 63, 100, -118, -81, -44, -7, 30, 67, 104, -114, -77, -40, -3, 34, 71, 108, -110, -73, -36, 1, 38, 75, 112, -106, -69, -32, 5, 42, 79, 116, -102, -65, -28, 9, 46, 83, 120, -98, -61, -24, 13, 50, 87, 124, -94, -57, -20, 17, 54, 91, -127, -90, -53, -16, 21, 58, 95, -123, -86, -49, -12, 25, 62, 99, -119, -82, -45, -8, 29, 66, 103, -115, -78, -41, -4, 33, 70, 107, -111, -74, -37, 0, 37, 74, 111, -107, -70, -33, 4, 41, 78, 115, -103, -66, -29, 8, 45, 82, 119, -99, -62, -25, 12, 49, 86, 123, -95, -58, -21, 16, 53, 90, 127, -91, -54, -17, 20, 57, 94, -124, -87, -50, -13, 24, 61, 98, -120, -83, -46, -9, 28, 65, 102, -116, -79, -42, -5, 32, 69, 106, -112, -75, -38, -1, 36, 73, 110, -108, -71, -34, 3, 40, 77, 114, -104, -67, -30, 7, 44, 81, 118, -100, -63, -26, 11, 48, 85, 122, -96, -59, -22, 15, 52, 89, 126, -92, -55, -18, 19, 56, 93, -125, -88, -51, -14, 23, 60, 97, -121, -84, -47, -10, 27, 64, 101, -117, -80, -43, -6, 31, 68, 105, -113, -76, -39, -2, 35, 72, 109, -109, -72, -35, 2, 39, 76, 113, -105, -68, -31, 6, 43, 80, 117, -101, -64, -27, 10, 47, 84, 121, -97, -60, -23, 14, 51, 88, 125, -93, -56, -19, 18, 55, 92, -126, -89, -52, -15, 22, 59, 96, -122, -85, -48, -11, 26, 63, 100, -118, -81, -44, -7, 30, 67, 104, -114, -77, -40, -3, 34, 71, 108, -110, -73, -36, 1, 38, 75, 112, -106, -69, -32, 5, 42, 79, 116, -102, -65, -28, 9, };
const TfArray<2, int> tensor_dimension9 = { 2, { 2,256 } };
const ALIGN(16) int32_t tensor_data10[2] = { -17, 20, };
const TfArray<1, int> tensor_dimension10 = { 1, { 2 } };
const TfArray<2, int> tensor_dimension11 = { 2, { 1,2 } };
const TfArray<2, int> tensor_dimension12 = { 2, { 1,2 } };
const TfArray<3, int> inputs0 = { 3, { 0,1,2 } };
const TfArray<1, int> outputs0 = { 1, { 3 } };
const TfArray<3, int> inputs1 = { 3, { 3,4,2 } };
const TfArray<1, int> outputs1 = { 1, { 5 } };
const TfArray<3, int> inputs2 = { 3, { 3,6,2 } };
const TfArray<1, int> outputs2 = { 1, { 7 } };
const TfArray<2, int> inputs3 = { 2, { 5,7 } };
const TfArray<1, int> outputs3 = { 1, { 8 } };
const TfArray<3, int> inputs4 = { 3, { 8,9,10 } };
const TfArray<1, int> outputs4 = { 1, { 11 } };
const TfArray<1, int> inputs5 = { 1, { 11 } };
const TfArray<1, int> outputs5 = { 1, { 12 } };
const TensorInfo_t tensorData[] = {
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 768), (TfLiteIntArray*)&tensor_dimension0, 64, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt8, (void*)tensor_data1, (TfLiteIntArray*)&tensor_dimension1, 36, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt32, (void*)tensor_data2, (TfLiteIntArray*)&tensor_dimension2, 16, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 0), (TfLiteIntArray*)&tensor_dimension3, 256, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt8, (void*)tensor_data4, (TfLiteIntArray*)&tensor_dimension4, 36, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 256), (TfLiteIntArray*)&tensor_dimension5, 256, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt8, (void*)tensor_data6, (TfLiteIntArray*)&tensor_dimension6, 36, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 512), (TfLiteIntArray*)&tensor_dimension7, 256, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 832), (TfLiteIntArray*)&tensor_dimension8, 256, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt8, (void*)tensor_data9, (TfLiteIntArray*)&tensor_dimension9, 512, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteMmapRo, kTfLiteInt32, (void*)tensor_data10, (TfLiteIntArray*)&tensor_dimension10, 8, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 0), (TfLiteIntArray*)&tensor_dimension11, 2, {kTfLiteNoQuantization, nullptr}, },
  { kTfLiteArenaRw, kTfLiteInt8, (int32_t*)(tensor_arena + 16), (TfLiteIntArray*)&tensor_dimension12, 2, {kTfLiteNoQuantization, nullptr}, },
};
const NodeInfo_t nodeData[] = {
  { (TfLiteIntArray*)&inputs0, (TfLiteIntArray*)&outputs0, const_cast<void*>(static_cast<const void*>(&opdata0)), OP_CONV_2D, },
  { (TfLiteIntArray*)&inputs1, (TfLiteIntArray*)&outputs1, const_cast<void*>(static_cast<const void*>(&opdata1)), OP_DEPTHWISE_CONV_2D, },
  { (TfLiteIntArray*)&inputs2, (TfLiteIntArray*)&outputs2, const_cast<void*>(static_cast<const void*>(&opdata2)), OP_DEPTHWISE_CONV_2D, },
  { (TfLiteIntArray*)&inputs3, (TfLiteIntArray*)&outputs3, const_cast<void*>(static_cast<const void*>(&opdata3)), OP_ADD, },
  { (TfLiteIntArray*)&inputs4, (TfLiteIntArray*)&outputs4, const_cast<void*>(static_cast<const void*>(&opdata4)), OP_FULLY_CONNECTED, },
  { (TfLiteIntArray*)&inputs5, (TfLiteIntArray*)&outputs5, const_cast<void*>(static_cast<const void*>(&opdata5)), OP_SOFTMAX, },
};

static const int inTensorIndices[] = {
  0, 
};

static const int outTensorIndices[] = {
  12, 
};
