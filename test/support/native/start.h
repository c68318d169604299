/* The parts of a C library that the delegate needs, for x86_64 and aarch64. Its time is in every figure, so it must be short.
   glibc's own start takes longer than the delegate's work: it asks the processor for its features, and on a virtual
   processor each question goes to the host. */
#include <fcntl.h>
#include <sys/syscall.h>

static int run(char **arguments, char **variables);

#if defined __x86_64__
static long system_call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined __aarch64__
static long system_call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n mov x0, sp\n bl begin\n");
#endif

/* The stack has the number of arguments, the arguments, a null, the variables, a null. */
__attribute__((used)) static void begin(long *stack) {
  char **arguments = (char **)(stack + 1);
  system_call(SYS_exit_group, run(arguments, arguments + stack[0] + 1), 0, 0);
}
