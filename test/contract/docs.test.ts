// The printed contract: the page in the repository is the one that the contract prints.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { publishedSchemas } from '../../cli/documents/schemas/published.ts'
import { apiPage } from '../../contract/docs.ts'
import { allRoutes } from '../../contract/index.ts'
import { addressesFile } from '../../contract/print-addresses.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

test('docs/api.md is what the contract prints; `npm run docs` writes it', () => {
  expect(page).toBe(apiPage())
})

test('contract/addresses.ts is what the contract prints; `npm run docs` writes it', () => {
  expect(readFileSync(new URL('../../contract/addresses.ts', import.meta.url), 'utf8')).toBe(addressesFile())
})

test('docs/json holds the schema of each document, as the shapes of commands say; `npm run docs` writes it', () => {
  const folder = new URL('../../docs/json/', import.meta.url)
  const there = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  expect(new Map(there)).toEqual(publishedSchemas())
})

test('the page shows every route with its scope', () => {
  for (const [, , route] of allRoutes) expect(page).toContain(`### \`${route.method} ${route.path}\` (${route.scope})`)
})
