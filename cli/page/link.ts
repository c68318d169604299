import { longestText } from "./limits.ts";

/** A list in the address of a link: what comes after `#list=`. It is compressed, so that a question with a link stays short. */
export async function linkPart(text: string): Promise<string> {
  const bytes = await bytesThrough(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return `#list=${base64url(bytes ?? new Uint8Array())}`;
}

/** The most bytes that a text of UTF-16 units has in UTF-8. */
const mostBytes = longestText * 3;

/** A kilobyte can hold a megabyte, and a browser unpacks a whole piece before anybody can stop it. */
const pieceSize = 1024;

/** Returns the list in a link's part; undefined if it has none, or if it is damaged or too long. */
export async function listInLink(part: string): Promise<string | undefined> {
  const [, packed] = /^#list=([\w-]+)$/.exec(part) ?? [];
  if (packed === undefined) return undefined;
  try {
    const bytes = await bytesThrough(bytesOf(packed), new DecompressionStream("deflate-raw"));
    const text = bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === undefined || text.length > longestText ? undefined : text;
  } catch {
    return undefined;
  }
}

async function bytesThrough(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream) {
  const reader = inPieces(bytes).pipeThrough(stream).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > mostBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}

function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + pieceSize));
      at += pieceSize;
    },
  });
}

function base64url(bytes: Uint8Array): string {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
