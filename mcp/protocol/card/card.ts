/**
 * Cards: pages that hosts of MCP Apps show beside the answers of a tool (`@modelcontextprotocol/ext-apps`, specification 2026-01-26). `bin/build.mjs`
 * makes each one file out of `page/`.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const mimeType = 'text/html;profile=mcp-app'
const pages = { 'ui://prop-house/review-card': 'review-card.html' } as const
type CardAddress = keyof typeof pages

export const cards = [
  {
    uri: 'ui://prop-house/review-card',
    name: 'review-card',
    title: 'Review card',
    description: 'Shows a review round with its picture, what differs, and what was said; the person answers there.',
    mimeType,
  },
] as const

export const isCard = (uri: string): uri is CardAddress => Object.hasOwn(pages, uri)

/** The first is where hosts look, the second where those of before 2026 did. */
export const cardMeta = (card: 'review') => {
  const address: CardAddress = `ui://prop-house/${card}-card`
  return { ui: { resourceUri: address }, 'ui/resourceUri': address }
}

/** It asks nothing of the network: no address is allowed to it. */
export async function cardPage(uri: CardAddress) {
  return { uri, mimeType, text: await readFile(builtPage(pages[uri]), 'utf8'), _meta: { ui: { prefersBorder: true } } }
}

/** Beside this file in dist/; from the sources, in the dist/ that was built last. */
function builtPage(name: string): URL {
  const beside = new URL(name, import.meta.url)
  return existsSync(beside) ? beside : new URL(`../../../dist/mcp/protocol/card/${name}`, import.meta.url)
}
