// The one error that leaves `formats/`: the bytes are not what was asked for, and why.

/**
 * Why bytes could not be read. Compare by this, never by the message.
 *
 * - `not-this-format`: the bytes are of some other kind; nothing is wrong with them.
 * - `unsupported`: the right kind, but a version or variant the reader does not know. To a library: an opaque file.
 * - `truncated`: the right kind, ended before what its header announces. The file, or what was handed in of it, is too short.
 * - `damaged`: the right kind, but it contradicts itself.
 * - `git-lfs-pointer`: a clone left a pointer where the file belongs.
 * - `too-large`: beyond a limit the reader keeps to bound its time and memory.
 */
export type FormatErrorReason = 'not-this-format' | 'unsupported' | 'truncated' | 'damaged' | 'git-lfs-pointer' | 'too-large'

/** Thrown by every reader in `formats/` and nothing else is. The message is a plain sentence that may be shown as it is. */
export class FormatError extends Error {
  readonly reason: FormatErrorReason

  constructor(reason: FormatErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FormatError'
    this.reason = reason
  }
}

const lfsPointerStart = Buffer.from('version https://git-lfs')

/** Throws FormatError `git-lfs-pointer` when the bytes are a Git LFS pointer (text, a few lines, standing in for the file). */
export function refuseGitLfsPointer(bytes: Uint8Array): void {
  if (bytes.length < lfsPointerStart.length) return
  if (lfsPointerStart.compare(bytes, 0, lfsPointerStart.length) !== 0) return
  throw new FormatError(
    'git-lfs-pointer',
    'This is a Git LFS pointer, not the file itself. Run `git lfs pull` to fetch the file.',
  )
}
