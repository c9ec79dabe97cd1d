/** Reads a tar archive of plain files. Format: POSIX ustar, blocks of 512 bytes. */

const block = 512
const text = (tar: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...tar.subarray(from, from + length)).replace(/\0.*$/s, "")

/** The files of the archive by name; whatever is not a plain file is left out. */
export const untar = (tar: Uint8Array): ReadonlyMap<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>()
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(tar, at + 124, 12), 8)
    const type = text(tar, at + 156, 1)
    if (type === "0" || type === "") files.set(text(tar, at, 100), tar.subarray(at + block, at + block + size))
    at += block + Math.ceil(size / block) * block
  }
  return files
}
