/* What compilers call even in freestanding code. The barriers keep them from seeing here the very calls that these
 * loops are. Not for a host, whose C library has them. */
#include <stddef.h>

void* memcpy(void* to, const void* from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
int memcmp(const void* one, const void* other, size_t size);

#define NO_IDIOM __asm__ volatile("" ::: "memory")

void* memcpy(void* to, const void* from, size_t size) {
  unsigned char* const target = to;
  const unsigned char* const source = from;
  for (size_t at = 0; at < size; ++at) {
    target[at] = source[at];
    NO_IDIOM;
  }
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  unsigned char* const target = to;
  const unsigned char* const source = from;
  if (target <= source) {
    return memcpy(to, from, size);
  }
  for (size_t at = size; at > 0; --at) {
    target[at - 1] = source[at - 1];
    NO_IDIOM;
  }
  return to;
}

void* memset(void* to, int value, size_t size) {
  unsigned char* const target = to;
  for (size_t at = 0; at < size; ++at) {
    target[at] = (unsigned char)value;
    NO_IDIOM;
  }
  return to;
}

int memcmp(const void* one, const void* other, size_t size) {
  const unsigned char* const left = one;
  const unsigned char* const right = other;
  for (size_t at = 0; at < size; ++at) {
    if (left[at] != right[at]) {
      return left[at] < right[at] ? -1 : 1;
    }
  }
  return 0;
}

#if defined(__arm__)
/* The names of the Arm run-time ABI (IHI 0043, 5.3.4); memset's arguments are in another order there. */
#define ALSO(name, function) __attribute__((alias(#function))) void* name(void* to, const void* from, size_t size)
ALSO(__aeabi_memcpy, memcpy);
ALSO(__aeabi_memcpy4, memcpy);
ALSO(__aeabi_memcpy8, memcpy);
ALSO(__aeabi_memmove, memmove);
ALSO(__aeabi_memmove4, memmove);
ALSO(__aeabi_memmove8, memmove);

void __aeabi_memset(void* to, size_t size, int value);
void __aeabi_memclr(void* to, size_t size);

void __aeabi_memset(void* to, size_t size, int value) {
  (void)memset(to, value, size);
}

void __aeabi_memclr(void* to, size_t size) {
  (void)memset(to, 0, size);
}

__attribute__((alias("__aeabi_memset"))) void __aeabi_memset4(void* to, size_t size, int value);
__attribute__((alias("__aeabi_memset"))) void __aeabi_memset8(void* to, size_t size, int value);
__attribute__((alias("__aeabi_memclr"))) void __aeabi_memclr4(void* to, size_t size);
__attribute__((alias("__aeabi_memclr"))) void __aeabi_memclr8(void* to, size_t size);
#endif
