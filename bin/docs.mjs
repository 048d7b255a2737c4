// Prints docs/api.md from the contract. Run as `npm run docs` after a change of contract/.
import { writeFileSync } from 'node:fs'
import { apiPage } from '../contract/docs.ts'

writeFileSync(new URL('../docs/api.md', import.meta.url), apiPage())
