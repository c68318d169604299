import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";

const headerSize = 4096;
const elfMagic = 0x7f454c46;
const programHeaderInterpreter = 3;

/** Whether a file is there and may be executed. */
export function inspectFile(path: string): "executable" | "not executable" | "missing" {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return "missing";
  return isExecutable(path) ? "executable" : "not executable";
}

/**
 * Whether execve of a file is sure to succeed: a failed one ends the process, uncatchable. Looks at what the kernel looks at:
 * the permission, the machine that an ELF file is for, the interpreter that it or a script names.
 */
export function canExec(path: string): boolean {
  if (!isExecutable(path)) return false;
  const header = readHeader(path);
  const script = /^#![ \t]*([^ \t\n\0]+)/.exec(header.toString("latin1", 0, 256));
  if (script?.[1] !== undefined) return isExecutable(script[1]) && isElfForHere(readHeader(script[1]));
  return isElfForHere(header);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(headerSize);
  const file = openSync(path, constants.O_RDONLY);
  try {
    return header.subarray(0, readSync(file, header, 0, headerSize, 0));
  } finally {
    closeSync(file);
  }
}

// ELF-64: class and byte order at 4 and 5, machine at 18, program headers at the offset at 32, their size and number at 54.
function isElfForHere(header: Buffer): boolean {
  if (header.length < 64 || header.readUInt32BE(0) !== elfMagic) return false;
  const own = readHeader(process.execPath);
  if (header.readUInt16BE(4) !== own.readUInt16BE(4) || header.readUInt16BE(18) !== own.readUInt16BE(18)) return false;
  const interpreter = elfInterpreter(header);
  return interpreter === undefined || isExecutable(interpreter);
}

function elfInterpreter(header: Buffer): string | undefined {
  const [offset, size, count] = [Number(header.readBigUInt64LE(32)), header.readUInt16LE(54), header.readUInt16LE(56)];
  for (let at = offset; at < offset + size * count && at + 40 <= header.length; at += size) {
    if (header.readUInt32LE(at) !== programHeaderInterpreter) continue;
    const start = Number(header.readBigUInt64LE(at + 8));
    const length = Number(header.readBigUInt64LE(at + 32));
    return header.toString("latin1", start, start + length - 1);
  }
  return undefined;
}
