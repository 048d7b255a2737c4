/** Prints the address of every route as plain data: what a client needs to ask, without loading the schemas. */
import { addressOf } from './address.ts'
import { allRoutes } from './index.ts'
import type { Route } from './route.ts'

/** The text of contract/addresses.ts. */
export function addressesFile(): string {
  const nouns = [...new Set(allRoutes.map(([noun]) => noun))]
  const tables = nouns.map((noun) => {
    const rows = allRoutes.filter(([of]) => of === noun).map(([, verb, route]) => `    ${verb}: ${addressText(route)},`)
    return [`  ${noun}: {`, ...rows, '  },'].join('\n')
  })
  return `${head}\n${tables.join('\n')}\n} as const satisfies Record<string, Record<string, Address>>\n`
}

const head = `/** Printed from the contract by \`npm run docs\`: where each route is asked. Schemas take longer to load than a push of few files. */
import type { Address } from './address.ts'

export const addresses = {`

function addressText(route: Route): string {
  const said = Object.entries(addressOf(route)).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${literal(value)}`],
  )
  return `{ ${said.join(', ')} }`
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ')
