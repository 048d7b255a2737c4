/** An embedder that cannot start, or gave up. */

/** The message names the setting, file or package, and says what would do. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError'
}
