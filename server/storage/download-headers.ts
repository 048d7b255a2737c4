/** What a download is asked for and named by: ranges and conditions (RFC 9110 sections 13 and 14), and the header that gives its name, RFC 6266, with the real name in UTF-8 (RFC 8187) where ASCII does not do. */

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

export interface DownloadConditions {
  range?: string | undefined
  ifRange?: string | undefined
  ifNoneMatch?: string | undefined
}

/** `end` is exclusive. */
export type Served =
  | { status: 200; start: number; end: number }
  | { status: 206; start: number; end: number }
  | { status: 304 }
  | { status: 416 }

/** A single range is served; several, other units and malformed ones are passed over, as the RFC allows: the whole file then. */
export function servedRange(conditions: DownloadConditions, { size, etag }: { size: number; etag: string }): Served {
  if (conditions.ifNoneMatch !== undefined && matches(conditions.ifNoneMatch, etag)) return { status: 304 }
  const whole: Served = { status: 200, start: 0, end: size }
  if (conditions.range === undefined || (conditions.ifRange !== undefined && conditions.ifRange !== etag)) return whole
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(conditions.range.trim()) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return whole
  if (first === '') return suffix(Number(last), size)
  if (last !== '' && Number(last) < Number(first)) return whole
  if (Number(first) >= size) return { status: 416 }
  return { status: 206, start: Number(first), end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

const suffix = (length: number, size: number): Served =>
  length === 0 || size === 0 ? { status: 416 } : { status: 206, start: Math.max(0, size - length), end: size }

/** If-None-Match compares weakly: `W/` makes no difference. */
const matches = (list: string, etag: string): boolean =>
  list.trim() === '*' || list.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
