/* Executes the program in its second argument. The first one, NAME=VALUE, comes after its own environment, even if that has a
   variable of this name: a shell would replace it. */
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments) {
  char *variables[1024];
  int end = 0;
  while (environ[end] && end < 1022) {
    variables[end] = environ[end];
    end++;
  }
  variables[end] = arguments[1];
  variables[end + 1] = 0;
  if (count > 2) execve(arguments[2], arguments + 2, variables);
  static const char complaint[] = "again: cannot execute its argument\n";
  return write(2, complaint, sizeof complaint - 1) < 0 ? 2 : 1;
}
