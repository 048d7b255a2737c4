/** The stylesheet: the files of look/ one after the other, read once; its address names its content, so that browsers may keep it for good. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Later ones win over earlier ones. */
const files = ['colours', 'base', 'frame', 'parts', 'forms', 'tables', 'settings']

export interface Stylesheet {
  address: string
  text: string
}

let read: Stylesheet | undefined

export function stylesheet(): Stylesheet {
  if (!read) {
    const text = files.map((name) => readFileSync(new URL(`./look/${name}.css`, import.meta.url), 'utf8')).join('\n')
    read = { text, address: `/pages.css?${createHash('sha256').update(text).digest('hex').slice(0, 12)}` }
  }
  return read
}
