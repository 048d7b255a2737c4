/** Projects: where entries are pulled to (spec 4.12). Pull jobs know them by name, and make them known (server/pulls/projects.ts). */

import { ApiError } from '../../contract/errors.ts'
import type { projects as contract, Project } from '../../contract/projects.ts'
import { sentFields } from '../curation/sent-fields.ts'
import { writeNamed } from '../curation/taken-name.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'
import { defaultRoot } from '../pulls/projects.ts'

export const projects: Handlers<typeof contract> = {
  async list({ sql, workspace }) {
    const order = sql`order by p.last_used_at desc nulls last, p.id desc`
    return { projects: await selectProjects(sql, workspace.id, order) }
  },

  async create({ sql, workspace, actor, now, input }) {
    const { name, notes = null } = input
    const row = {
      name,
      default_root: input.default_root ?? defaultRoot,
      notes,
      created_by: actor.id,
      created_at: now.toISOString(),
    }
    const [made] = await writeNamed(
      sql,
      uniqueProject({ sql, workspaceId: workspace.id, name }),
      () => sql<{ id: number }[]>`insert into projects ${sql({ workspace_id: workspace.id, ...row })} returning id`,
    )
    if (!made) throw new Error('the project was not recorded')
    return requireProject(sql, workspace.id, made.id)
  },

  async update({ sql, workspace, input }) {
    const sent = sentFields(input, ['name', 'default_root', 'notes'])
    const changed = await writeNamed(
      sql,
      uniqueProject({ sql, workspaceId: workspace.id, name: input.name ?? '' }),
      () => sql`update projects set ${sql(sent)} where workspace_id = ${workspace.id} and id = ${input.project_id} returning id`,
    )
    if (changed.length === 0) throw projectNotFound(input.project_id)
    return requireProject(sql, workspace.id, input.project_id)
  },

  async remove({ sql, workspace, input }) {
    const gone = await sql`delete from projects where workspace_id = ${workspace.id} and id = ${input.project_id} returning id`
    if (gone.length === 0) throw projectNotFound(input.project_id)
  },
}

const projectNotFound = (id: number) => new ApiError('NOT_FOUND', `There is no project ${id} in this workspace.`)

async function requireProject(sql: Sql, workspaceId: number, id: number): Promise<Project> {
  const [project] = await selectProjects(sql, workspaceId, sql`and p.id = ${id}`)
  if (!project) throw projectNotFound(id)
  return project
}

const uniqueProject = ({ sql, workspaceId, name }: { sql: Sql; workspaceId: number; name: string }) => ({
  constraint: 'projects_name',
  noun: 'project',
  name,
  holder: sql`select id from projects where workspace_id = ${workspaceId} and lower(name) = lower(${name})`,
})

/** `tail` may use the alias p and begins with `and` or `order by`. */
const selectProjects = (sql: Sql, workspaceId: number, tail: Fragment) => sql<Project[]>`
  select p.id, p.name, p.default_root, p.notes, p.created_by, p.created_at, p.last_used_at,
         (select count(*)::int from pull_jobs j
           where j.workspace_id = p.workspace_id and lower(j.target_project) = lower(p.name)) as job_count
    from projects p where p.workspace_id = ${workspaceId} ${tail}`
