/* Preloaded into the second kernel, whose buffer for a process's vector registers has no room for those of newer processors
   (AMX has 8 KiB). Linux wants the whole state or an error (x86_64, xstateregs_set in arch/x86/kernel/fpu/regset.c): the kernel
   panics with "ptrace set fp regs failed, errno = 14". So this call sends the rest as the process has it. */
#define _GNU_SOURCE
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char whole[65536] __attribute__((aligned(64)));

long ptrace(enum __ptrace_request request, ...) {
  va_list list;
  va_start(list, request);
  pid_t pid = va_arg(list, pid_t);
  void *address = va_arg(list, void *);
  void *data = va_arg(list, void *);
  va_end(list);

  struct iovec all = {whole, sizeof whole};
  struct iovec *part = data;
  if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE &&
      !syscall(SYS_ptrace, PTRACE_GETREGSET, pid, address, &all) && part->iov_len < all.iov_len) {
    memcpy(whole, part->iov_base, part->iov_len);
    return syscall(SYS_ptrace, request, pid, address, &all);
  }
  if (request != PTRACE_PEEKTEXT && request != PTRACE_PEEKDATA && request != PTRACE_PEEKUSER)
    return syscall(SYS_ptrace, request, pid, address, data);
  /* The system call writes the word that the library returns. */
  long word;
  long failed = syscall(SYS_ptrace, request, pid, address, &word);
  return failed ? failed : word;
}
