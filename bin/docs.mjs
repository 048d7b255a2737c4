// Prints what is derived from the contract: docs/api.md, docs/agent-api.md, contract/addresses.ts and contract/agent-addresses.ts, and
// from the shapes of documents: docs/json. Run as `npm run docs` after a change of contract/ or cli/documents/schemas/.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { commandsByWords } from '../cli/command-line/command-words.ts'
import { tableFile } from '../cli/commands/completion/table-of.ts'
import { publishedSchemas } from '../cli/documents/schemas/published.ts'
import { firstWords } from '../cli/first-words.ts'
import { agentApiPage, apiPage } from '../contract/docs.ts'
import { addressesFile, agentAddressesFile } from '../contract/print-addresses.ts'

writeFileSync(new URL('../docs/api.md', import.meta.url), apiPage())
writeFileSync(new URL('../docs/agent-api.md', import.meta.url), agentApiPage())
writeFileSync(new URL('../contract/addresses.ts', import.meta.url), addressesFile())
writeFileSync(new URL('../contract/agent-addresses.ts', import.meta.url), agentAddressesFile())

const json = new URL('../docs/json/', import.meta.url)
rmSync(json, { recursive: true, force: true })
mkdirSync(json)
for (const [name, text] of publishedSchemas()) writeFileSync(new URL(name, json), text)
writeFileSync(new URL('../cli/commands/completion/table.ts', import.meta.url), tableFile(await commandsByWords(firstWords)))
