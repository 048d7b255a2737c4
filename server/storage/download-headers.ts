/** The header that names a download: RFC 6266, with the real name in UTF-8 (RFC 8187) where ASCII does not do. */

/** Always an attachment: what people uploaded is never shown as a page of this server. */
export function contentDisposition(fileName: string): string {
  const name = fileName.replaceAll(/[\p{Cc}/\\]/gu, '_').toWellFormed()
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll('"', "'")
  const header = `attachment; filename="${plain}"`
  return plain === name && !name.includes('%') ? header : `${header}; filename*=UTF-8''${extValue(name)}`
}

/** encodeURIComponent leaves four characters that RFC 8187 wants encoded. */
const extValue = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
