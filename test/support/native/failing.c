/* It answers as the slim flavor does, but every CNI call fails. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  (void)arguments;
  if (count > 1) return 2;
  const char *verb = getenv("CNI_COMMAND");
  if (verb && *verb) {
    puts("{\"cniVersion\":\"1.0.0\",\"code\":999,\"msg\":\"this version is broken\"}");
    return 1;
  }
  puts("CNI cni-wrappers plugin v9.9.9");
  puts("CNI protocol versions supported: 0.4.0, 1.0.0, 1.1.0");
  puts("Built from commit 123");
  return 0;
}
