/* Replaces a plugin when only the time before the plugin counts. It reads its request to the end. On ADD it prints the answer
   from the file next to it with its name and .json. */
#include "start.h"

static char chunk[65536];

static int copy(long from, long to) {
  for (;;) {
    long length = system_call(SYS_read, from, (long)chunk, sizeof chunk);
    if (length <= 0) return length < 0;
    if (to >= 0 && system_call(SYS_write, to, (long)chunk, length) != length) return 1;
  }
}

/* The rest of a text after this beginning; null if it has another beginning. */
static char *after(char *text, const char *beginning) {
  while (*beginning) {
    if (*text++ != *beginning++) return 0;
  }
  return text;
}

static int is_add(char **variables) {
  for (; *variables; variables++) {
    char *command = after(*variables, "CNI_COMMAND=ADD");
    if (command && !*command) return 1;
  }
  return 0;
}

/* The name of a file with .json appended. */
static char *answer_of(char *name) {
  static const char suffix[] = ".json";
  unsigned long length = 0;
  for (; name[length] && length < sizeof chunk - sizeof suffix; length++) chunk[length] = name[length];
  for (unsigned long i = 0; i < sizeof suffix; i++) chunk[length + i] = suffix[i];
  return chunk;
}

static int run(char **arguments, char **variables) {
  if (copy(0, -1)) return 1;
  if (!is_add(variables)) return 0;
  long answer = system_call(SYS_openat, AT_FDCWD, (long)answer_of(arguments[0]), O_RDONLY);
  return answer < 0 || copy(answer, 1);
}
