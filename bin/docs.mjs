// Prints what is derived from the contract: docs/api.md and contract/addresses.ts. Run as `npm run docs` after a change of contract/.
import { writeFileSync } from 'node:fs'
import { apiPage } from '../contract/docs.ts'
import { addressesFile } from '../contract/print-addresses.ts'

writeFileSync(new URL('../docs/api.md', import.meta.url), apiPage())
writeFileSync(new URL('../contract/addresses.ts', import.meta.url), addressesFile())
