/** The head of an answer to a GET (RFC 9112), as far as the plainest of them go: a whole file, as long as the head says. */
import { withoutEnd } from '../../system/text/text-end.ts'

export interface PlainHead {
  /** Bytes of the body. */
  length: number
  /** The connection ends after this answer. */
  isLast: boolean
}

const field = /^([!#$%&'*+.^_`|~0-9a-z-]+):(.*)$/i

/** Reads the lines before the empty one. Undefined for whatever is not as plain as that, or not quite right. */
export function plainHead(text: string): PlainHead | undefined {
  const [status = '', ...lines] = text.split('\r\n')
  if (!/^HTTP\/1\.1 200( |$)/.test(status)) return undefined
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name, padded] = field.exec(line) ?? []
    if (name === undefined || padded === undefined) return undefined
    const value = withoutEnd(padded.replace(/^[ \t]+/, ''), ' \t')
    // Said more than once: as a list (RFC 9110 5.3), which is no length.
    const before = fields.get(name.toLowerCase())
    fields.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  const length = fields.get('content-length') ?? ''
  const isCoded = fields.has('transfer-encoding') || (fields.get('content-encoding') ?? 'identity') !== 'identity'
  if (!/^\d{1,15}$/.test(length) || isCoded) return undefined
  return { length: Number(length), isLast: /(^|,)\s*close\s*(,|$)/i.test(fields.get('connection') ?? '') }
}
