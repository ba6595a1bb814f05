/*
 * network_info.json: its layers, how each is cut, and where everything lies. Written by memsize.
 */
#include "network.h"

const char network_name[] = "network_info.json";


static const struct net_operand reads_1[] = {
    {{NET_L2, 2048}, 16, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_3[] = {
    {{NET_L2, 0}, 32, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_5[] = {
    {{NET_L2, 2048}, 32, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_7[] = {
    {{NET_L2, 1024}, 16, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_9[] = {
    {{NET_L2, 0}, 32, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_11[] = {
    {{NET_L2, 512}, 32, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_13[] = {
    {{NET_L2, 0}, 16, 0x1p+0F, {0, {}}},
    {{NET_L2, 1024}, 16, 0x1p+0F, {0, {}}},
};

static const struct net_operand reads_14[] = {
    {{NET_L2, 512}, 16, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_16[] = {
    {{NET_L2, 0}, 32, 0x1p+0F, {0, {}}},
};


static const struct net_operand reads_18[] = {
    {{NET_L2, 512}, 32, 0x1p+0F, {0, {}}},
};



static const struct net_operand reads_21[] = {
    {{NET_L2, 0}, 512, 0x1p+0F, {0, {}}},
};


const struct net_step network_steps[] = {
    {
        .name = "input_quant",

        .writes = {NET_L2, 2048},
        .size = 1024,
    },
    {
        .name = "conv2",
        .reads = reads_1,
        .writes = {NET_L2, 0},
        .size = 2048,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 16,
        .out_channels = 32,
        .channel_tile = 9,
        .rows = {8, 8, 1, 1, 0, 3},
        .columns = {8, 8, 1, 1, 0, 8},
        .weights = {NET_L2_CONSTANT, 6440},
        .bias = {NET_L2_CONSTANT, 6312},
        .has_bias = 1,
        .weight = {0, 144},
        .weight_buffers = 2,
        .input = {288, 672},
        .output = {1056, 1824},
        .bias_copy = 2592,
        .scale = 0x1.02p-7F,
        .weight_row = 16,
    },
    {
        .name = "quant_conv2",

        .writes = {NET_L2, 0},
        .size = 2048,
    },
    {
        .name = "conv3",
        .reads = reads_3,
        .writes = {NET_L2, 2048},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 32,
        .channel_tile = 25,
        .is_depthwise = 1,
        .rows = {8, 4, 3, 2, 1, 1},
        .columns = {8, 4, 3, 2, 1, 4},
        .weights = {NET_L2_CONSTANT, 7080},
        .bias = {NET_L2_CONSTANT, 6952},
        .has_bias = 1,
        .weight = {0, 300},
        .weight_buffers = 2,
        .input = {600, 1464},
        .output = {2328, 2456},
        .bias_copy = 2584,
        .scale = 0x1.02p-7F,
        .weight_row = 12,
    },
    {
        .name = "quant_conv3",

        .writes = {NET_L2, 2048},
        .size = 512,
    },
    {
        .name = "conv4",
        .reads = reads_5,
        .writes = {NET_L2, 1024},
        .size = 256,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 16,
        .channel_tile = 16,
        .rows = {4, 4, 1, 1, 0, 4},
        .columns = {4, 4, 1, 1, 0, 4},
        .weights = {NET_L2_CONSTANT, 7432},
        .bias = {NET_L2_CONSTANT, 7368},
        .has_bias = 1,
        .weight = {0, 512},
        .weight_buffers = 2,
        .input = {1024, 1536},
        .output = {2048, 2304},
        .bias_copy = 2560,
        .scale = 0x1.02p-7F,
        .weight_row = 32,
    },
    {
        .name = "quant_conv4",

        .writes = {NET_L2, 1024},
        .size = 256,
    },
    {
        .name = "conv5",
        .reads = reads_7,
        .writes = {NET_L2, 0},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 16,
        .out_channels = 32,
        .channel_tile = 32,
        .rows = {4, 4, 1, 1, 0, 4},
        .columns = {4, 4, 1, 1, 0, 4},
        .weights = {NET_L2_CONSTANT, 8072},
        .bias = {NET_L2_CONSTANT, 7944},
        .has_bias = 1,
        .weight = {0, 512},
        .weight_buffers = 2,
        .input = {1024, 1280},
        .output = {1536, 2048},
        .bias_copy = 2560,
        .scale = 0x1.02p-7F,
        .weight_row = 16,
    },
    {
        .name = "quant_conv5",

        .writes = {NET_L2, 0},
        .size = 512,
    },
    {
        .name = "conv6",
        .reads = reads_9,
        .writes = {NET_L2, 512},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 32,
        .channel_tile = 23,
        .is_depthwise = 1,
        .rows = {4, 4, 3, 1, 1, 2},
        .columns = {4, 4, 3, 1, 1, 4},
        .weights = {NET_L2_CONSTANT, 8712},
        .bias = {NET_L2_CONSTANT, 8584},
        .has_bias = 1,
        .weight = {0, 276},
        .weight_buffers = 2,
        .input = {552, 1320},
        .output = {2088, 2344},
        .bias_copy = 2600,
        .scale = 0x1.02p-7F,
        .weight_row = 12,
    },
    {
        .name = "quant_conv6",

        .writes = {NET_L2, 512},
        .size = 512,
    },
    {
        .name = "conv7",
        .reads = reads_11,
        .writes = {NET_L2, 0},
        .size = 256,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 16,
        .channel_tile = 16,
        .rows = {4, 4, 1, 1, 0, 4},
        .columns = {4, 4, 1, 1, 0, 4},
        .weights = {NET_L2_CONSTANT, 9064},
        .bias = {NET_L2_CONSTANT, 9000},
        .has_bias = 1,
        .weight = {0, 512},
        .weight_buffers = 2,
        .input = {1024, 1536},
        .output = {2048, 2304},
        .bias_copy = 2560,
        .scale = 0x1.02p-7F,
        .weight_row = 32,
    },
    {
        .name = "quant_conv7",

        .writes = {NET_L2, 0},
        .size = 256,
    },
    {
        .name = "add1",
        .reads = reads_13,
        .writes = {NET_L2, 512},
        .size = 256,
        .run = net_add,
        .read_count = 2,
        .in_channels = 256,
        .out_channels = 256,
        .channel_tile = 256,
        .rows = {1, 1, 1, 1, 0, 1},
        .input = {0, 512},
        .scale_out = 0x1p+0F,
        .is_exact = 1,
    },
    {
        .name = "conv8",
        .reads = reads_14,
        .writes = {NET_L2, 0},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 16,
        .out_channels = 32,
        .channel_tile = 32,
        .rows = {4, 4, 1, 1, 0, 4},
        .columns = {4, 4, 1, 1, 0, 4},
        .weights = {NET_L2_CONSTANT, 9704},
        .bias = {NET_L2_CONSTANT, 9576},
        .has_bias = 1,
        .weight = {0, 512},
        .weight_buffers = 2,
        .input = {1024, 1280},
        .output = {1536, 2048},
        .bias_copy = 2560,
        .scale = 0x1.02p-7F,
        .weight_row = 16,
    },
    {
        .name = "quant_conv8",

        .writes = {NET_L2, 0},
        .size = 512,
    },
    {
        .name = "conv9",
        .reads = reads_16,
        .writes = {NET_L2, 512},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 32,
        .channel_tile = 23,
        .is_depthwise = 1,
        .rows = {4, 4, 3, 1, 1, 2},
        .columns = {4, 4, 3, 1, 1, 4},
        .weights = {NET_L2_CONSTANT, 10344},
        .bias = {NET_L2_CONSTANT, 10216},
        .has_bias = 1,
        .weight = {0, 276},
        .weight_buffers = 2,
        .input = {552, 1320},
        .output = {2088, 2344},
        .bias_copy = 2600,
        .scale = 0x1.02p-7F,
        .weight_row = 12,
    },
    {
        .name = "quant_conv9",

        .writes = {NET_L2, 512},
        .size = 512,
    },
    {
        .name = "conv10",
        .reads = reads_18,
        .writes = {NET_L2, 0},
        .size = 512,
        .run = net_conv,
        .read_count = 1,
        .in_channels = 32,
        .out_channels = 32,
        .channel_tile = 8,
        .rows = {4, 4, 1, 1, 0, 4},
        .columns = {4, 4, 1, 1, 0, 4},
        .weights = {NET_L2_CONSTANT, 5288},
        .bias = {NET_L2_CONSTANT, 5160},
        .has_bias = 1,
        .weight = {0, 256},
        .weight_buffers = 2,
        .input = {512, 1024},
        .output = {1536, 2048},
        .bias_copy = 2560,
        .scale = 0x1.02p-7F,
        .weight_row = 32,
    },
    {
        .name = "quant_conv10",

        .writes = {NET_L2, 0},
        .size = 512,
    },
    {
        .name = "flatten",

        .writes = {NET_L2, 0},
        .size = 512,
    },
    {
        .name = "classifier",
        .reads = reads_21,
        .writes = {NET_L2, 512},
        .size = 10,
        .run = net_linear,
        .read_count = 1,
        .in_channels = 512,
        .out_channels = 10,
        .channel_tile = 2,
        .rows = {1, 1, 1, 1, 0, 1},
        .weights = {NET_L2_CONSTANT, 40},
        .bias = {NET_L2_CONSTANT, 0},
        .has_bias = 1,
        .weight = {0, 1024},
        .weight_buffers = 2,
        .input = {2048, 2048},
        .output = {2560, 2562},
        .bias_copy = 2564,
        .scale = 0x1.02p-7F,
    },
    {
        .name = "quant_classifier",

        .writes = {NET_L2, 512},
        .size = 10,
    },
};

const struct net_file network_files[] = {
    {"conv2_weight.bin", { NET_L2_CONSTANT, 6440 }, CONV2_WEIGHT_SIZE, CONV2_WEIGHT_CHECKSUM},
    {"conv2_bias.bin", { NET_L2_CONSTANT, 6312 }, CONV2_BIAS_SIZE, CONV2_BIAS_CHECKSUM},
    {"conv3_weight.bin", { NET_L2_CONSTANT, 7080 }, CONV3_WEIGHT_SIZE, CONV3_WEIGHT_CHECKSUM},
    {"conv3_bias.bin", { NET_L2_CONSTANT, 6952 }, CONV3_BIAS_SIZE, CONV3_BIAS_CHECKSUM},
    {"conv4_weight.bin", { NET_L2_CONSTANT, 7432 }, CONV4_WEIGHT_SIZE, CONV4_WEIGHT_CHECKSUM},
    {"conv4_bias.bin", { NET_L2_CONSTANT, 7368 }, CONV4_BIAS_SIZE, CONV4_BIAS_CHECKSUM},
    {"conv5_weight.bin", { NET_L2_CONSTANT, 8072 }, CONV5_WEIGHT_SIZE, CONV5_WEIGHT_CHECKSUM},
    {"conv5_bias.bin", { NET_L2_CONSTANT, 7944 }, CONV5_BIAS_SIZE, CONV5_BIAS_CHECKSUM},
    {"conv6_weight.bin", { NET_L2_CONSTANT, 8712 }, CONV6_WEIGHT_SIZE, CONV6_WEIGHT_CHECKSUM},
    {"conv6_bias.bin", { NET_L2_CONSTANT, 8584 }, CONV6_BIAS_SIZE, CONV6_BIAS_CHECKSUM},
    {"conv7_weight.bin", { NET_L2_CONSTANT, 9064 }, CONV7_WEIGHT_SIZE, CONV7_WEIGHT_CHECKSUM},
    {"conv7_bias.bin", { NET_L2_CONSTANT, 9000 }, CONV7_BIAS_SIZE, CONV7_BIAS_CHECKSUM},
    {"conv8_weight.bin", { NET_L2_CONSTANT, 9704 }, CONV8_WEIGHT_SIZE, CONV8_WEIGHT_CHECKSUM},
    {"conv8_bias.bin", { NET_L2_CONSTANT, 9576 }, CONV8_BIAS_SIZE, CONV8_BIAS_CHECKSUM},
    {"conv9_weight.bin", { NET_L2_CONSTANT, 10344 }, CONV9_WEIGHT_SIZE, CONV9_WEIGHT_CHECKSUM},
    {"conv9_bias.bin", { NET_L2_CONSTANT, 10216 }, CONV9_BIAS_SIZE, CONV9_BIAS_CHECKSUM},
    {"conv10_weight.bin", { NET_L2_CONSTANT, 5288 }, CONV10_WEIGHT_SIZE, CONV10_WEIGHT_CHECKSUM},
    {"conv10_bias.bin", { NET_L2_CONSTANT, 5160 }, CONV10_BIAS_SIZE, CONV10_BIAS_CHECKSUM},
    {"classifier_weight.bin", { NET_L2_CONSTANT, 40 }, CLASSIFIER_WEIGHT_SIZE, CLASSIFIER_WEIGHT_CHECKSUM},
    {"classifier_bias.bin", { NET_L2_CONSTANT, 0 }, CLASSIFIER_BIAS_SIZE, CLASSIFIER_BIAS_CHECKSUM},
    {"input_test1.bin", { NET_L2, 2048 }, INPUT_TEST1_SIZE, INPUT_TEST1_CHECKSUM},
};

const struct net_golden network_goldens[] = {
    { 1, {"conv2_golden.bin", { NET_L2, 0 }, CONV2_GOLDEN_SIZE, CONV2_GOLDEN_CHECKSUM}},
    { 3, {"conv3_golden.bin", { NET_L2, 0 }, CONV3_GOLDEN_SIZE, CONV3_GOLDEN_CHECKSUM}},
    { 5, {"conv4_golden.bin", { NET_L2, 0 }, CONV4_GOLDEN_SIZE, CONV4_GOLDEN_CHECKSUM}},
    { 7, {"conv5_golden.bin", { NET_L2, 0 }, CONV5_GOLDEN_SIZE, CONV5_GOLDEN_CHECKSUM}},
    { 9, {"conv6_golden.bin", { NET_L2, 0 }, CONV6_GOLDEN_SIZE, CONV6_GOLDEN_CHECKSUM}},
    { 11, {"conv7_golden.bin", { NET_L2, 0 }, CONV7_GOLDEN_SIZE, CONV7_GOLDEN_CHECKSUM}},
    { 13, {"add1_golden.bin", { NET_L2, 0 }, ADD1_GOLDEN_SIZE, ADD1_GOLDEN_CHECKSUM}},
    { 14, {"conv8_golden.bin", { NET_L2, 0 }, CONV8_GOLDEN_SIZE, CONV8_GOLDEN_CHECKSUM}},
    { 16, {"conv9_golden.bin", { NET_L2, 0 }, CONV9_GOLDEN_SIZE, CONV9_GOLDEN_CHECKSUM}},
    { 18, {"conv10_golden.bin", { NET_L2, 0 }, CONV10_GOLDEN_SIZE, CONV10_GOLDEN_CHECKSUM}},
    { 21, {"classifier_golden.bin", { NET_L2, 0 }, CLASSIFIER_GOLDEN_SIZE, CLASSIFIER_GOLDEN_CHECKSUM}},

};
