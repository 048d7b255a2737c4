/** `ph checkout`: says that you are editing props, so that nobody else pushes versions of them meanwhile. */
import { afterBringing, type BringOptions, bringNewest, findToBring } from '../../client/check-out/bring-newest.ts'
import { type CheckOutPlan, heldByOthers, planCheckOut } from '../../client/check-out/plan.ts'
import { type CheckedOut, foretell, takeProps } from '../../client/check-out/take.ts'
import { exits } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Asker } from '../../contract/locks.ts'
import { command, flag, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { requireAdminRole, requireWriting } from '../entries/key-rights.ts'
import { readText } from '../entries/note-text.ts'
import { withLibrary } from '../library.ts'
import { requireCacheSize } from '../pull-orders/cache-room.ts'
import { wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { openDisplay } from '../terminal/progress-display.ts'
import { askYesOrNo } from '../terminal/yes-or-no.ts'
import { radarWords } from './checkout/radar-words.ts'
import { heldRefusal, locksOf } from './checkout/refusals.ts'
import { type CheckOutReport, checkOutWords } from './checkout/words.ts'
import { pullModel } from './pull/progress.ts'
import { pushModel } from './push/progress.ts'

const { hours, defaultHours } = limits.lock

export const commands = [
  command({
    usage: 'checkout <props...>',
    description: `Until you check them in or release them, or the time is over, only you can push new versions of these props. First it compares the files here with the newest versions and says what goes on around them: who has something checked out that they need or that needs them, what is in review, and whose editor has them. Older files can be brought up to date; what you changed is never overwritten. Of many props either all are checked out or none. Checking out again what you have moves the time.`,
    arguments: { props: 'files or folders of the project, or props by id, name or /Game path' },
    options: {
      note: value('--note <text>', 'what you are about to do, for everyone else to read', readText('--note')),
      ttl: value(
        '--ttl <time>',
        `for how long, such as 12h, 3d or 2w (default ${defaultHours / 24}d, at most ${hours / 24}d)`,
        readHours,
      ),
      closure: flag('--closure', 'also everything that they need'),
      pull: flag('--pull', 'bring newer versions from the library without asking'),
      steal: value(
        '--steal <reason>',
        'take over what others have checked out (admins only); the reason is kept on record',
        readText('--steal'),
      ),
      dryRun: flag('--dry-run', 'only show what would happen'),
    },
    examples: [
      ['checkout Content/Props/SM_Barrel.uasset --note "New rings"', 'a file of the project that you are in'],
      ['checkout SM_Barrel SM_Stool --ttl 1d', 'two props until tomorrow'],
      ['checkout Content/Props', 'every prop in a folder, or none of them'],
      ['checkout L_Inn --closure --dry-run', 'see what a level and all that it needs would come to'],
      ['checkout SM_Barrel --steal "Max is on leave"', 'as an admin, take over a check-out that was left behind'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { props: references, note, ttl, closure, pull, steal, dryRun }) {
      const wire = await requireWire(context)
      return withLibrary(context, async ({ api }) => {
        const { cwd, out, now } = context
        const display = openDisplay(context, pushModel)
        const naming = { wire, api, cwd, closure, tell: display.tell }
        const plan = await planCheckOut(references, naming).finally(display.hide)
        const isAdmin = rightsOf(plan.me, steal)
        const radar = out.json ? [] : await radarWords(plan, api, { paint: out.paint, width: out.width, now: now() })
        out.lines(radar)
        const refuse = (locks: ReturnType<typeof heldByOthers>) => heldRefusal(locks, { props: plan.props, now: now(), isAdmin })
        const others = steal === undefined ? heldByOthers(plan) : []
        if (others.length > 0) throw refuse(others)
        const isToBring = dryRun ? false : await bringsNewer(context, { plan, given: pull })
        const made = dryRun
          ? foretell(plan)
          : await takeProps(api, plan, { note, ttlHours: ttl, steal, onLeft: (left) => out.note(leftWords(left)) }).catch(
              (error: unknown) => {
                const locks = locksOf(error)
                throw locks.length > 0 ? refuse(locks) : error
              },
            )
        const toBring = isToBring ? findToBring(plan, made) : []
        const report = { ...(await bring(context, { plan, made, toBring, wire })), dry_run: dryRun }
        out.result(report, () => checkOutWords(report, { out, cwd, now: now() }))
        return dryRun || report.props.every(isReady) ? exits.done : exits.partly
      })
    },
  }),
]

const leftWords = (left: number): string =>
  `${count(left, 'prop')} had been checked out before that, and could not be given back: name the same to \`ph release\`, or check them out again.`

/** Whether the key is an admin's. Refuses who may not do it, before anything is asked. */
function rightsOf({ scope, role }: Asker, steal: string | undefined): boolean {
  requireWriting({ scope })
  const isAdmin = role === 'admin'
  if (steal !== undefined) requireAdminRole(isAdmin, 'take over what others have checked out')
  return isAdmin
}

/** Whether nothing about the files here has to be looked at before they are edited. */
const isReady = ({ standing, files }: CheckedOut): boolean =>
  standing === 'current' || standing === 'modified' || (standing === 'missing' && files.length === 0)

/** Whether older files are to be brought up to date: by the flag, else by asking. */
async function bringsNewer(context: Context, { plan, given }: { plan: CheckOutPlan; given: boolean }): Promise<boolean> {
  const older = findToBring(plan, foretell(plan)).length
  if (given || older === 0 || !context.interactive) return given
  const what =
    older === 1
      ? '1 prop is older here than in the library, or missing'
      : `${count(older, 'prop')} are older here than in the library, or missing`
  return askYesOrNo(context, `${what}. Bring the newest ${older === 1 ? 'version' : 'versions'} once checked out?`, true)
}

interface Bringing {
  plan: CheckOutPlan
  made: CheckedOut[]
  toBring: readonly number[]
  wire: Pick<BringOptions, 'url' | 'key' | 'folders'>
}

/** After the check-out: nobody else makes a newer version then. */
async function bring(context: Context, { plan, made, toBring, wire }: Bringing): Promise<Omit<CheckOutReport, 'dry_run'>> {
  const { root, project, radar } = plan
  const report = { root, project, radar, props: made, brought: null }
  if (toBring.length === 0) return report
  const display = openDisplay(context, pullModel)
  try {
    const brought = await bringNewest(plan, toBring, { ...wire, cacheBytes: requireCacheSize(context), tell: display.tell })
    return { ...report, props: afterBringing(made, brought), brought }
  } catch (error) {
    await display.hide()
    context.out.note(
      `${count(made.length, 'prop')} ${made.length === 1 ? 'is' : 'are'} checked out; the newest versions could not be brought.`,
    )
    throw error
  } finally {
    await display.hide()
  }
}

const hoursIn: Record<string, number> = { h: 1, d: 24, w: 168 }

/** `12h`, `3d`, `2w` as hours. */
function readHours(given: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,4})\s*([hdw])$/i.exec(given.trim()) ?? []
  const read = Number(amount) * (hoursIn[unit.toLowerCase()] ?? 0)
  if (amount !== '' && read >= 1 && read <= hours) return read
  throw wrongUsage(
    `--ttl takes a time from 1h to ${hours / 24}d, not "${given}".`,
    'Write it like this: --ttl 12h, --ttl 3d or --ttl 2w.',
  )
}
