/** Which workspace an administrator means. */

import { ApiError, validationError } from '../../contract/errors.ts'
import type { Sql } from '../database/sql.ts'

export interface ChosenWorkspace {
  id: number
  slug: string
}

const mostNamed = 20

/** Without a slug the only one there is. Throws NOT_FOUND where there is none such, VALIDATION where there are several. */
export async function chooseWorkspace(sql: Sql, slug: string | undefined): Promise<ChosenWorkspace> {
  const found = await sql<ChosenWorkspace[]>`
    select id, slug from workspaces ${slug === undefined ? sql`` : sql`where slug = ${slug}`} order by id limit ${mostNamed + 1}`
  const [only, ...others] = found
  if (only && others.length === 0) return only
  if (only) {
    const names = found.slice(0, mostNamed).map((row) => row.slug)
    throw validationError([
      {
        path: 'workspace',
        message: `must be named, as there are several: ${names.join(', ')}${found.length > mostNamed ? ', …' : ''}`,
      },
    ])
  }
  throw new ApiError(
    'NOT_FOUND',
    slug === undefined
      ? 'There is no workspace yet. Make the first one at the setup address that the server prints when it starts, or by provisioning.'
      : `There is no workspace "${slug}" on this server.`,
  )
}
