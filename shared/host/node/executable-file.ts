import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { inspectFile, isExecutable } from "./inspect-file.ts";

/** As much of a file as the kernel looks at to find out what it is. */
const headerSize = 256;
/** How many scripts may name one another as interpreters. */
const scriptDepth = 4;
const elfMagic = 0x7f454c46;
/** ELFCLASS64 and ELFDATA2LSB, as on the two machines below. */
const elfClassAndOrder = 0x0201;
/** EM_X86_64 and EM_AARCH64, by Node's names. */
const elfMachines: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
/** ET_EXEC and ET_DYN; the others are object files and core dumps. */
const elfExecutableTypes = [2, 3];
const programHeaderSize = 56;
const programHeaderInterpreter = 3;
/** How long after a change a file may still be open for writing: a download, or a copy, goes on all the time. */
const freshMs = 2000;

/**
 * Whether execve of a file is sure to succeed: a failed one ends the process, uncatchable. Looks at what the kernel looks at:
 * the permission, whether it may still be being written, the machine that an ELF file is for, the interpreter that it or a
 * script names. In doubt it is not.
 */
export function canExec(path: string): boolean {
  try {
    return isExecutable(path) && !isFresh(path) && isLoadable(path);
  } catch {
    return false;
  }
}

/**
 * Whether a file may be spawned. Where the kernel does not know what it is (ENOEXEC), execvp lets a shell read it: a text, a
 * download cut short, an executable for another machine.
 */
export function canSpawn(path: string): boolean {
  try {
    return isLoadable(path);
  } catch {
    // What cannot be read here, a shell cannot read either.
    return true;
  }
}

// Who writes an executable holds it open, and as long as it is, execve fails (ETXTBSY).
function isFresh(path: string): boolean {
  return Math.abs(Date.now() - statSync(path).ctimeMs) < freshMs;
}

function isLoadable(path: string, depth = 0): boolean {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const header = readAt(file, 0, headerSize);
    const interpreter = /^#![ \t]*([^ \t\n\0]+)/.exec(header.toString("latin1"))?.[1];
    if (interpreter === undefined) return isElfForHere(file, header);
    return depth < scriptDepth && inspectFile(interpreter) === "executable" && isLoadable(interpreter, depth + 1);
  } finally {
    closeSync(file);
  }
}

// ELF-64: class and byte order at 4 and 5, type at 16, machine at 18.
function isElfForHere(file: number, header: Buffer): boolean {
  if (header.length < 64 || header.readUInt32BE(0) !== elfMagic) return false;
  if (header.readUInt16BE(4) !== elfClassAndOrder || header.readUInt16LE(18) !== elfMachines[process.arch])
    return false;
  if (!elfExecutableTypes.includes(header.readUInt16LE(16))) return false;
  const programs = programHeaders(file, header);
  return programs.length > 0 && programs.every((program) => isInterpreterThere(file, program));
}

// Their offset is at 32, their size and number at 54 and 56. None where they are not all there: a file cut short.
function programHeaders(file: number, header: Buffer): Buffer[] {
  const [offset, size, count] = [header.readBigUInt64LE(32), header.readUInt16LE(54), header.readUInt16LE(56)];
  const table = readAt(file, Number(offset), size * count);
  if (size !== programHeaderSize || table.length < size * count) return [];
  return Array.from({ length: count }, (_, index) => table.subarray(size * index, size * (index + 1)));
}

function isInterpreterThere(file: number, program: Buffer): boolean {
  if (program.readUInt32LE(0) !== programHeaderInterpreter) return true;
  const [start, length] = [Number(program.readBigUInt64LE(8)), Number(program.readBigUInt64LE(32))];
  const name = readAt(file, start, Math.min(length, 4096));
  return name.length === length && inspectFile(name.toString("latin1", 0, length - 1)) === "executable";
}

function readAt(file: number, position: number, length: number): Buffer {
  const content = Buffer.alloc(length);
  return content.subarray(0, readSync(file, content, 0, length, position));
}
