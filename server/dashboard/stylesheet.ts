/** The stylesheet and its fonts: read once; their addresses name their content, so that browsers may keep them for good. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** The files of styles/, one after the other: later ones win over earlier ones. */
const files = ['type', 'colours', 'base', 'frame', 'parts', 'forms', 'tables', 'settings']

export interface Stylesheet {
  address: string
  text: string
  /** By file name, such as `source-serif-4-latin.woff2`. */
  fonts: ReadonlyMap<string, Buffer>
}

let read: Stylesheet | undefined

export function stylesheet(): Stylesheet {
  if (!read) {
    const fonts = readFonts()
    const text = withHashes(
      files.map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')).join('\n'),
      fonts,
    )
    read = { text, fonts, address: `/pages.css?${hashOf(text)}` }
  }
  return read
}

function readFonts(): Map<string, Buffer> {
  const folder = new URL('./styles/fonts/', import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.woff2'))
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder))]))
}

/** Addresses of fonts are relative to the stylesheet's own, which a proxy may serve below a path. */
const withHashes = (css: string, fonts: ReadonlyMap<string, Buffer>): string =>
  css.replaceAll(/url\("fonts\/([^"]+)"\)/g, (_whole, name: string) => {
    const font = fonts.get(name)
    if (!font) throw new Error(`the stylesheet names the font ${name}, which is not there`)
    return `url("fonts/${name}?${hashOf(font)}")`
  })

const hashOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 12)
