/** ph demo: the whole main job on this machine, to the end, and nothing left behind. */
import { readdirSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { PullReport } from '../../../client/pull/report.ts'
import type { PushReport } from '../../../client/push/report.ts'
import type { Lineage } from '../../../contract/lineages.ts'
import { ph } from '../../support/ph.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

interface Shown {
  url: string
  first_push: PushReport
  second_push: PushReport
  entries: number
  edited: string
  history: Lineage
  pull: PullReport
}

test('the sample project goes into the library, an edit becomes a version, and nothing is left', async () => {
  const TMPDIR = temporaryFolder()
  const outcome = await ph('demo --json', { env: { TMPDIR } })
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  const { url, first_push, second_push, entries, edited, history, pull } = outcome.json() as Shown
  expect(first_push.summary).toMatchObject({ new: first_push.found, failed: 0, held: 0 })
  expect(first_push.problems).toEqual([])
  expect(entries).toBe(first_push.summary.entries_created)
  expect(second_push.summary).toMatchObject({ new: 1, dedup: first_push.found - 1 })
  expect(second_push.items[0]).toMatchObject({ name: edited, status: 'new' })
  expect(history.objects).toHaveLength(2)
  expect(pull.jobs).toMatchObject([{ status: 'done', summary: { identical: 0, failed: 0 } }])
  expect(pull.jobs[0]?.summary.added).toBeGreaterThan(5)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  expect(readdirSync(TMPDIR)).toEqual([])
})

test.each([60, 80])(
  'on a terminal of %i columns it shows props with their names, and the edited one before and now',
  async (columns) => {
    const { code, stdout, stderr } = await ph('demo', { columns, env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' } })
    expect(code).toBe(0)
    expect(stderr).not.toContain('error')
    const lines = stripVTControlCharacters(stdout).split('\n')
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns)
    const pictures = lines.filter((line) => /[▘▝▀▖▌▞▛▗▚▐▜▄▙▟█]{10}/.test(line))
    expect(pictures.length).toBeGreaterThan(20)
    expect(lines.some((line) => /^ +before +now *$/.test(line))).toBe(true)
    expect(lines).toContain('$ ph push Content')
    expect(lines.some((line) => line.startsWith('Pulled BP_Campfire into MountainPass'))).toBe(true)
  },
)

test('when it is interrupted it stops at the next act and takes everything away', async () => {
  const TMPDIR = temporaryFolder()
  const { code, stdout } = await ph('demo', { env: { TMPDIR }, signal: AbortSignal.abort('interrupted') })
  expect(code).toBe(130)
  expect(stdout).not.toContain('Push the Content folder')
  expect(readdirSync(TMPDIR)).toEqual([])
})
