/** Prints the address of every route as plain data: what a client needs to ask, without loading the schemas. */
import { addressOf } from './address.ts'
import { agentRoutes } from './agent.ts'
import { allRoutes } from './index.ts'
import type { Route } from './route.ts'

type NamedRoutes = readonly (readonly [noun: string, verb: string, route: Route])[]

/** The text of contract/addresses.ts. */
export const addressesFile = (): string => fileOf(allRoutes, 'addresses')

/** The text of contract/agent-addresses.ts. */
export const agentAddressesFile = (): string => fileOf(agentRoutes, 'agentAddresses')

function fileOf(all: NamedRoutes, name: string): string {
  const nouns = [...new Set(all.map(([noun]) => noun))]
  const tables = nouns.map((noun) => {
    const rows = all.filter(([of]) => of === noun).map(([, verb, route]) => `    ${verb}: ${addressText(route)},`)
    return [`  ${noun}: {`, ...rows, '  },'].join('\n')
  })
  return `${head}export const ${name} = {\n${tables.join('\n')}\n} as const satisfies Record<string, Record<string, Address>>\n`
}

const head = `/** Printed from the contract by \`npm run docs\`: where each route is asked. Schemas take longer to load than a push of few files. */
import type { Address } from './address.ts'

`

function addressText(route: Route): string {
  const said = Object.entries(addressOf(route)).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${literal(value)}`],
  )
  return `{ ${said.join(', ')} }`
}

const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'").replaceAll(',', ', ')
