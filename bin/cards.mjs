// Makes the cards of assistants: pages with all that they run inside of them, as hosts of MCP Apps want them. Run by bin/build.mjs.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const pages = join(dirname(dirname(fileURLToPath(import.meta.url))), 'mcp/protocol/card/page')
const to = process.argv[2]

mkdirSync(to, { recursive: true })
for (const page of readdirSync(pages).filter((name) => name.endsWith('.html'))) {
  const input = join(pages, page.replace('.html', '.ts'))
  const { output } = await build({ input, platform: 'browser', write: false, output: { format: 'es', minify: true } })
  // A text of the script that would end it in the middle.
  const code = output[0].code.replaceAll('</script', '<\\/script')
  const html = readFileSync(join(pages, page), 'utf8')
  writeFileSync(
    join(to, page),
    html.replace('</body>', () => `<script type="module">${code}</script></body>`),
  )
}
