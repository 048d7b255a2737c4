/** Projects: where entries are pulled to, known by name without regard to case (spec 2, 4.12; contract-gaps 4, 5a). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { ProjectName, TargetRoot } from './pull-jobs.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Id, nullable, Timestamp } from './shapes.ts'

const Text = Type.String()
const Notes = Type.String({ maxLength: limits.description })

/** `default_root`: where pulls land that do not say. `last_used_at`: when the last pull was ordered. */
export const Project = Type.Object({
  id: Id,
  name: Text,
  default_root: Text,
  notes: nullable(Text),
  created_by: nullable(Id),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  job_count: Count,
})
export type Project = Static<typeof Project>

export const projects = routes({
  list: {
    method: 'GET',
    path: '/projects',
    scope: 'read',
    summary: 'List the projects of the workspace, the most recently used first.',
    output: Type.Object({ projects: Type.Array(Project) }),
  },
  create: {
    method: 'POST',
    path: '/projects',
    scope: 'write',
    summary: 'Make a project known.',
    input: Type.Object({ name: ProjectName, default_root: absentOrNull(TargetRoot), notes: absentOrNull(Notes) }),
    output: Project,
    status: 201,
    errors: ['CONFLICT', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/projects/{project_id}',
    scope: 'write',
    summary: 'Rename a project, or say where its pulls land.',
    input: Type.Object({
      project_id: Id,
      name: Type.Optional(ProjectName),
      default_root: Type.Optional(TargetRoot),
      notes: absentOrNull(Notes),
    }),
    output: Project,
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/projects/{project_id}',
    scope: 'write',
    summary: 'Forget a project; its pull jobs stay.',
    input: Type.Object({ project_id: Id }),
    errors: ['NOT_FOUND'],
  },
})
