/** A host of MCP Apps: the official bridge in a real browser, with the card in a frame that may do nothing but run and show data, as hosts allow it. */
import type { Client } from '@modelcontextprotocol/client'
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import { build } from 'rolldown'
import type { Json } from './api.ts'
import { openChromium } from './chromium.ts'

/** What hosts set for cards that name no domains (MCP Apps 2026-01-26, "Content Security Policy"). */
const policy = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:`

const host = `
  import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
  window.showCard = async ({ html, toolInput, toolResult, theme }) => {
    const frame = document.querySelector('iframe')
    const bridge = new AppBridge(null, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {} }, { hostContext: { theme } })
    bridge.oncalltool = (params) => window.callTool(params)
    bridge.onreadresource = (params) => window.readResource(params)
    bridge.onsizechange = ({ height }) => { if (height) frame.style.height = height + 'px' }
    const ready = new Promise((resolve) => { bridge.oninitialized = resolve })
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
    frame.srcdoc = html
    await ready
    await bridge.sendToolInput({ arguments: toolInput })
    await bridge.sendToolResult(toolResult)
  }`

let bundled: Promise<string> | undefined

async function hostScript(): Promise<string> {
  const entry = '\0host'
  const { output } = await build({
    input: entry,
    platform: 'browser',
    write: false,
    plugins: [
      {
        name: 'host',
        resolveId: (id, importer) => (id === entry ? id : importer === entry ? pathOf(id) : null),
        load: (id) => (id === entry ? host : null),
      },
    ],
  })
  return output[0].code
}

const pathOf = (id: string): string => new URL(import.meta.resolve(id)).pathname

export interface ShownCard {
  page: Page
  card: FrameLocator
}

/** Calls a tool that has a card, and shows the card beside its answer. */
export async function showCard(
  client: Client,
  { name, args, browser }: { name: string; args: Json; browser?: BrowserContextOptions },
): Promise<ShownCard> {
  const { tools } = await client.listTools()
  const shown = tools.find((tool) => tool.name === name)?._meta?.ui as { resourceUri: string } | undefined
  const { contents } = await client.readResource({ uri: shown?.resourceUri ?? '' })
  const html = (contents[0] as { text: string }).text
  const toolResult = await client.callTool({ name, arguments: args })
  const page = await (await openChromium(browser)).newPage()
  await page.exposeFunction('callTool', (params: Json) => client.callTool(params as never))
  await page.exposeFunction('readResource', (params: Json) => client.readResource(params as never))
  bundled ??= hostScript()
  await page.setContent('<iframe sandbox="allow-scripts" style="width:100%;height:600px;border:0" title="card"></iframe>')
  await page.addScriptTag({ type: 'module', content: await bundled })
  await page.waitForFunction('window.showCard')
  const guarded = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
  const theme = browser?.colorScheme === 'dark' ? 'dark' : 'light'
  await page.evaluate(`window.showCard(${JSON.stringify({ html: guarded, toolInput: args, toolResult, theme })})`)
  return { page, card: page.frameLocator('iframe') }
}
