import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";

const headerSize = 4096;
const elfMagic = 0x7f454c46;
/** ET_EXEC and ET_DYN; the others are object files and core dumps. */
const elfExecutableTypes = [2, 3];
const programHeaderSize = 56;
const programHeaderInterpreter = 3;
/** How long after a change a file may still be open for writing: a download, or a copy, goes on all the time. */
const freshMs = 2000;

/** Whether a file is there and may be executed. */
export function inspectFile(path: string): "executable" | "not executable" | "missing" {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return "missing";
  return isExecutable(path) ? "executable" : "not executable";
}

/**
 * Whether execve of a file is sure to succeed: a failed one ends the process, uncatchable. Looks at what the kernel looks at:
 * the permission, whether it may still be being written, the machine that an ELF file is for, the interpreter that it or a
 * script names. In doubt it is not.
 */
export function canExec(path: string): boolean {
  try {
    return isExecutable(path) && !isFresh(path) && isLoadable(readHeader(path));
  } catch {
    return false;
  }
}

// Who writes an executable holds it open, and as long as it is, execve fails (ETXTBSY).
function isFresh(path: string): boolean {
  return Math.abs(Date.now() - statSync(path).ctimeMs) < freshMs;
}

function isLoadable(header: Buffer): boolean {
  const script = /^#![ \t]*([^ \t\n\0]+)/.exec(header.toString("latin1", 0, 256))?.[1];
  if (script === undefined) return isElfForHere(header);
  return inspectFile(script) === "executable" && isElfForHere(readHeader(script));
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

// ELF-64: class and byte order at 4 and 5, type at 16, machine at 18.
function isElfForHere(header: Buffer): boolean {
  if (header.length < 64 || header.readUInt32BE(0) !== elfMagic) return false;
  const own = readHeader(process.execPath);
  if (header.readUInt16BE(4) !== own.readUInt16BE(4) || header.readUInt16BE(18) !== own.readUInt16BE(18)) return false;
  if (!elfExecutableTypes.includes(header.readUInt16LE(16))) return false;
  const programs = programHeaders(header);
  return programs.length > 0 && programs.every((program) => isInterpreterThere(header, program));
}

// Their offset is at 32, their size and number at 54 and 56. None where they are not all in what was read: a file cut short.
function programHeaders(header: Buffer): Buffer[] {
  const [offset, size, count] = [Number(header.readBigUInt64LE(32)), header.readUInt16LE(54), header.readUInt16LE(56)];
  if (size !== programHeaderSize || offset + size * count > header.length) return [];
  return Array.from({ length: count }, (_, index) =>
    header.subarray(offset + size * index, offset + size * (index + 1)),
  );
}

function isInterpreterThere(header: Buffer, program: Buffer): boolean {
  if (program.readUInt32LE(0) !== programHeaderInterpreter) return true;
  const start = Number(program.readBigUInt64LE(8));
  const length = Number(program.readBigUInt64LE(32));
  return inspectFile(header.toString("latin1", start, start + length - 1)) === "executable";
}
