/** `ph project`: where entries are pulled to. */
import type { Api } from '../../client/http/api.ts'
import type { Project } from '../../contract/projects.ts'
import { plainRoot } from '../../contract/target-roots.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, text, value } from '../command.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { requireNamed } from '../entries/named-record.ts'
import { withLibrary } from '../library.ts'
import { readRoot } from '../pull-orders/input.ts'
import { wrongUsage } from '../refusal.ts'
import { age, count } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { table } from '../terminal/table.ts'

const projectArgument = 'its name, or its id'
const root = value(
  '--root <path>',
  'where pulls land that have no --root: /Game, or a folder below it, where references between the files break',
  readRoot,
)

export const commands = [
  command({
    usage: 'project list',
    summary: 'List the projects that the library knows, the most recently used first',
    examples: [['project list', 'with where their pulls land']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const { projects } = await api.projects.list()
        const today = context.now()
        context.out.result({ projects }, () =>
          projects.length === 0
            ? 'No projects.'
            : table(
                projects,
                [
                  { title: 'ID', value: (project) => project.id, right: true },
                  { title: 'NAME', value: (project) => project.name, cut: 'end' },
                  { title: 'ROOT', value: (project) => project.default_root, cut: 'middle' },
                  { title: 'JOBS', value: (project) => project.job_count, right: true },
                  { title: 'USED', value: ({ last_used_at: used }) => (used ? age(used, today) : 'never'), spare: true },
                ],
                context.out,
              ),
        )
      })
      return undefined
    },
  }),
  command({
    usage: 'project create <name>',
    summary: 'Make a project known before the first pull into it',
    arguments: { name: 'exactly as its .uproject file is named' },
    options: { root, notes: text('--notes <text>', 'notes about the project') },
    examples: [
      ['project create Tavern', 'a project that others may send to from now on'],
      ['project create Tavern --root /Game/Imported', 'its pulls land there'],
    ],
    exits: ['conflict'],
    async run(context, { name, root: default_root = plainRoot, notes }) {
      await withLibrary(context, async ({ api }) => {
        const made = await api.projects.create({ name, default_root, notes })
        context.out.result(made, wordsOf(made))
      })
      return undefined
    },
  }),
  command({
    usage: 'project edit <project>',
    summary: 'Rename a project, or say where its pulls land',
    arguments: { project: projectArgument },
    options: {
      name: text('--name <name>', 'its new name'),
      root,
      notes: text('--notes <text>', 'notes about the project; an empty text removes them'),
    },
    examples: [['project edit Tavern --root /Game', 'pulls leave paths as they are']],
    exits: ['conflict'],
    async run(context, { project: reference, name, root: default_root, notes }) {
      if (name === undefined && default_root === undefined && notes === undefined)
        throw wrongUsage('There is nothing to change.', 'Give --name, --root or --notes.')
      await withLibrary(context, async ({ api }) => {
        const { id } = await requireProject(api, reference)
        const changed = await api.projects.update({ project_id: id, name, default_root, notes: notes === '' ? null : notes })
        context.out.result(changed, wordsOf(changed))
      })
      return undefined
    },
  }),
  command({
    usage: 'project delete <project>',
    summary: 'Forget a project; its pull jobs stay',
    arguments: { project: projectArgument },
    options: { dryRun: flag('--dry-run', 'only show what would change'), yes: yesOption },
    examples: [['project delete Tavern', 'the next pull into it makes it known again']],
    async run(context, { project: reference, dryRun, yes }) {
      await withLibrary(context, async ({ api }) => {
        const project = await requireProject(api, reference)
        const jobs = `its ${count(project.job_count, 'pull job')} ${project.job_count === 1 ? 'stays' : 'stay'}`
        const plan = `The project ${printable(project.name)} would be forgotten; ${jobs}.`
        if (dryRun) return context.out.result({ dry_run: true, project }, plan)
        await requireWriter(api)
        await confirmHarm(context, { yes, plan, details: { project }, question: 'Forget it?' })
        await api.projects.remove({ project_id: project.id })
        context.out.result({ dry_run: false, project }, `The project ${printable(project.name)} is forgotten; ${jobs}.`)
      })
      return undefined
    },
  }),
]

const wordsOf = ({ name, default_root }: Project): string =>
  `Pulls into ${printable(name)} land below ${printable(default_root)}.`

const requireProject = async (api: Api, reference: string) =>
  requireNamed((await api.projects.list()).projects, reference, { noun: 'project', list: 'project list' })
