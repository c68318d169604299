/* Takes a plugin's place where only what stands before the plugin is timed: reads its request to the end and, on ADD, prints
   the answer that stands beside it in a file of its name with .json. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char chunk[65536];

static int copy(int from, int to) {
  for (;;) {
    ssize_t length = read(from, chunk, sizeof chunk);
    if (length <= 0) return length < 0;
    if (to >= 0 && write(to, chunk, length) != length) return 1;
  }
}

int main(int count, char **arguments) {
  static const char suffix[] = ".json";
  const char *command = getenv("CNI_COMMAND");
  if (copy(0, -1)) return 1;
  if (command == NULL || strcmp(command, "ADD") != 0) return 0;
  if (count < 1 || strlen(arguments[0]) > sizeof chunk - sizeof suffix) return 1;
  strcat(strcpy(chunk, arguments[0]), suffix);
  int answer = open(chunk, O_RDONLY);
  return answer < 0 || copy(answer, 1);
}
