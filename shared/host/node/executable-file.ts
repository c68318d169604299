import { accessSync, type BigIntStats, constants, openSync, readSync, statSync } from "node:fs";
import type { Host } from "../host.ts";
import { attempt, closing } from "./files.ts";

const compareSize = 1024 * 1024;
/** The file of this process, even if another has been installed over it since. */
const ownFile = "/proc/self/exe";
/** The inodes of an overlay can be so large that several become the same number. */
const exactly = { bigint: true } as const;

/** Tells whether a path can be executed. This executable and its copies count as the wrapper itself. */
export function inspectFile(path: string): ReturnType<Host["inspect"]> {
  const file = attempt(() => statSync(path, exactly));
  if (!file?.isFile()) return "missing";
  if (!isExecutable(path)) return "not executable";
  // A file that cannot be read, or compared because there is no /proc, counts as another one.
  return attempt(() => isItself(path, file)) ? "the wrapper itself" : "executable";
}

function isItself(path: string, file: BigIntStats): boolean {
  const own = statSync(ownFile, exactly);
  if (file.ino === own.ino && file.dev === own.dev) return true;
  return file.size === own.size && hasSameBytes(path, ownFile);
}

/** Compares two files. Throws if one cannot be read. */
export function hasSameBytes(path: string, other: string): boolean {
  const [chunk, otherChunk] = [Buffer.alloc(compareSize), Buffer.alloc(compareSize)];
  return closing(openSync(path, constants.O_RDONLY), (one) =>
    closing(openSync(other, constants.O_RDONLY), (two) => {
      for (;;) {
        const length = readSync(one, chunk);
        if (readSync(two, otherChunk) !== length || !chunk.equals(otherChunk)) return false;
        if (length === 0) return true;
      }
    }),
  );
}

/** Whether this process may execute a file. */
export function isExecutable(path: string): boolean {
  return attempt(() => accessSync(path, constants.X_OK) ?? true) === true;
}

/** How many bytes of a file the kernel reads to identify it. */
const headerSize = 256;
/** How many scripts may name each other as interpreters. */
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
/** How long after a change a file may still be open for writing, such as a download or a copy. In milliseconds. */
const freshMs = 2000;

/**
 * Whether execve of a file is certain to succeed: a failed one ends the process and cannot be caught. Checks what the kernel
 * checks: the permission, whether the file may still be open for writing, the machine of an ELF file, the interpreter of an
 * ELF file or a script. Returns false if in doubt.
 */
export function canExec(path: string): boolean {
  return attempt(() => isExecutable(path) && !isFresh(path) && isLoadable(path)) ?? false;
}

/**
 * Whether a file may be spawned. If the kernel does not recognize it (ENOEXEC), execvp runs it with a shell: a text, a
 * truncated download, an executable for another machine.
 */
export function canSpawn(path: string): boolean {
  // What cannot be read, a shell cannot read, either.
  return attempt(() => isLoadable(path)) ?? true;
}

// A writer keeps the file open, and execve fails until it is closed (ETXTBSY).
function isFresh(path: string): boolean {
  return Math.abs(Date.now() - statSync(path).ctimeMs) < freshMs;
}

function isLoadable(path: string, depth = 0): boolean {
  return closing(openSync(path, constants.O_RDONLY), (file) => {
    const header = readAt(file, 0, headerSize);
    const interpreter = /^#![ \t]*([^ \t\n\0]+)/.exec(header.toString("latin1"))?.[1];
    if (interpreter === undefined) return isElfForHere(file, header);
    return depth < scriptDepth && inspectFile(interpreter) === "executable" && isLoadable(interpreter, depth + 1);
  });
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

// Their offset is at 32, their size and count at 54 and 56. Returns none if the file is truncated.
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
