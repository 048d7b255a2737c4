/** Turntables on real terminals: what is seen from where, keys, and a terminal that is as it was afterwards. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ph } from '../../support/ph.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal, type Terminal } from '../../support/terminal.ts'
import { kittyCommands, kittyPixels, sixelPictures } from '../../support/terminal-pictures.ts'
import { twoSidedGlb } from '../../support/two-sided-mesh.ts'

const onTerminal = test.runIf(hasTerminal)

/** A folder with a box that is half red and half green. */
async function folderWithBox(more: Record<string, Uint8Array> = {}): Promise<string> {
  const folder = temporaryFolder()
  writeFiles(folder, { 'box.glb': await twoSidedGlb(), ...more })
  return folder
}

function turn(
  folder: string,
  { columns = 60, rows = 20, ...env }: { columns?: number; rows?: number; PH_PICTURES?: string } = {},
) {
  const terminal = openTerminal({ columns, rows }, { PH_NO_MOTION: '1', PH_PICTURES: 'blocks', ...env })
  terminal.type(`cd ${folder}; clear; ph inspect --turn box.glb; echo "ended with $?"`, 'Enter')
  return terminal
}

/** Which of the two colours is at the left, by the middle of where each is seen; `?` where it sees one only. */
function leftColor(terminal: Terminal): 'red' | 'green' | '?' {
  const sums = { red: [0, 0], green: [0, 0] }
  for (const line of terminal.colors()) {
    let column = 0
    let current: 'red' | 'green' | undefined
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is read
    for (const [, codes, text = ''] of line.matchAll(/(?:\u001b\[([\d;]*)m)|([^\u001b])/g)) {
      if (codes !== undefined) {
        const [, red = 0, green = 0] = (/[34]8;2;(\d+);(\d+);/.exec(`${codes};`) ?? []).map(Number)
        if (red + green > 60) current = red > green ? 'red' : 'green'
        else if (/(^|;)(0|39|49)?$/.test(codes)) current = undefined
        continue
      }
      column++
      if (!current || text === ' ') continue
      sums[current][0] = (sums[current][0] ?? 0) + column
      sums[current][1] = (sums[current][1] ?? 0) + 1
    }
  }
  const middle = ([sum = 0, times = 0]: number[]) => (times === 0 ? Number.NaN : sum / times)
  const [red, green] = [middle(sums.red), middle(sums.green)]
  return Number.isNaN(red + green) ? '?' : red < green ? 'red' : 'green'
}

onTerminal('turned by half, what was at the left is at the right; the terminal is as it was when it is left', async () => {
  const terminal = turn(await folderWithBox())
  await terminal.shows('24 triangles')
  expect(terminal.screen().at(-1)).toMatch(/^box\.glb {2}24 triangles {2}100 x 100 x 100 cm/)
  expect(terminal.hasCursor()).toBe(false)
  await expect.poll(() => leftColor(terminal)).not.toBe('?')
  const before = leftColor(terminal)
  for (let times = 0; times < 18; times++) terminal.type('Right')
  await expect.poll(() => leftColor(terminal)).toBe(before === 'red' ? 'green' : 'red')
  terminal.type('q')
  const lines = await terminal.shows('ended with 0')
  expect(lines.join('\n')).not.toContain('24 triangles')
  expect(terminal.hasCursor()).toBe(true)
  terminal.type('echo typed is seen', 'Enter')
  await terminal.shows(/^typed is seen$/m)
})

onTerminal.each([
  ['Ctrl-C', 'C-c', 'ended with 130'],
  ['Esc', 'Escape', 'ended with 0'],
])('%s leaves, and gives back cursor and screen', async (_, key, end) => {
  const terminal = turn(await folderWithBox())
  await terminal.shows('24 triangles')
  terminal.type(key)
  await terminal.shows(end)
  expect(terminal.hasCursor()).toBe(true)
  expect(terminal.isOtherScreen()).toBe(false)
})

onTerminal('SIGTERM gives the terminal back too', async () => {
  const terminal = openTerminal({ columns: 60, rows: 20 }, { PH_NO_MOTION: '1', PH_PICTURES: 'blocks' })
  const started = `cd ${await folderWithBox()}; clear; ph inspect --turn box.glb; echo "ended with $?"`
  terminal.type(started, 'Enter')
  await terminal.shows('24 triangles')
  process.kill(terminal.processId(), 'SIGTERM')
  await terminal.shows('ended with 130')
  expect(terminal.hasCursor()).toBe(true)
  expect(terminal.isOtherScreen()).toBe(false)
})

onTerminal('it follows the size of the terminal, down to 40 columns and a few rows', async () => {
  const terminal = turn(await folderWithBox(), { columns: 80, rows: 24 })
  await terminal.shows('2 materials')
  terminal.resize({ columns: 40, rows: 6 })
  await expect.poll(() => terminal.screen().at(-1)).toMatch(/^box\.glb {2}24 triangles {2}\S.*q/)
  expect(terminal.screen().length).toBe(6)
  expect(terminal.screen().every((line) => line.length <= 40)).toBe(true)
})

onTerminal('kitty gets whole pictures under two ids that take turns, and both are deleted at the end', async () => {
  const terminal = turn(await folderWithBox(), { PH_PICTURES: 'kitty' })
  await terminal.shows('24 triangles')
  terminal.type('Right')
  await expect.poll(() => kittyShown(terminal.written()).length).toBeGreaterThanOrEqual(2)
  terminal.type('q')
  await expect.poll(terminal.written).toContain('ended with 0')
  const commands = kittyCommands(terminal.written())
  const shown = kittyShown(terminal.written())
  expect(new Set(shown.map(({ keys }) => keys.i)).size).toBe(2)
  expect(shown.every(({ keys }) => keys.q === '2' && keys.c === '60' && keys.r === '19')).toBe(true)
  const first = shown[0] as (typeof shown)[number]
  const { width, height, at } = await kittyPixels(first)
  expect(width / height).toBeCloseTo(600 / 380, 1)
  expect(at(0, 0)[3]).toBe(0)
  expect(at(width >> 1, height >> 1)[3]).toBe(255)
  expect(new Set(commands.slice(-2).map(({ keys }) => `${keys.a}${keys.d}${keys.i}`))).toEqual(
    new Set(shown.map(({ keys }) => `dI${keys.i}`)),
  )
})

const kittyShown = (written: string) =>
  kittyCommands(written.slice(0, written.lastIndexOf('\u001b\\') + 2)).filter(({ keys }) => keys.a === 'T')

onTerminal('sixels are well formed, in the colours of the prop, and no larger than their rows', async () => {
  const terminal = turn(await folderWithBox(), { PH_PICTURES: 'sixel' })
  await terminal.shows('24 triangles')
  await expect.poll(() => sixelPictures(terminal.written()).length).toBeGreaterThan(0)
  const [picture] = sixelPictures(terminal.written())
  if (!picture) throw new Error('There is no picture.')
  expect([picture.width, picture.height]).toEqual([480, 304])
  const seen = Array.from({ length: 480 }, (_, x) => picture.at(x, 152)).filter(([, , , alpha]) => alpha === 255)
  expect(seen.some(([red = 0, green = 0]) => red > green + 60)).toBe(true)
  expect(seen.some(([red = 0, green = 0]) => green > red + 60)).toBe(true)
})

test('without a terminal it says what to use instead; JSON and several files are wrong usage', async () => {
  const cwd = await folderWithBox()
  const piped = await ph('inspect --turn box.glb', { cwd })
  expect([piped.code, piped.stdout]).toEqual([1, ''])
  expect(piped.stderr).toContain('--turn needs a terminal')
  expect(piped.stderr).toContain('ph convert')
  expect((await ph('inspect --turn box.glb --json', { cwd, columns: 80 })).code).toBe(2)
  expect((await ph('inspect --turn box.glb box.glb', { cwd, columns: 80 })).code).toBe(2)
  const show = await ph('show 1 --turn', { cwd })
  expect(show.stderr).toContain('ph download')
  const colorless = await ph('inspect --turn box.glb', { cwd, columns: 80, env: { NO_COLOR: '1' } })
  expect([colorless.code, colorless.stderr]).toEqual([1, expect.stringContaining('NO_COLOR is set')])
})

test('files that lie about their lengths, hold no finite place or nothing at all are refused before the screen is taken', async () => {
  const whole = Buffer.from(await twoSidedGlb())
  const json = whole.readUInt32LE(12)
  const lying = Buffer.from(whole)
  lying.writeUInt32LE(0x7fffffff, 12)
  const nowhere = Buffer.from(whole).fill(Buffer.from([0, 0, 0xc0, 0x7f]), 28 + json)
  const cut = whole.subarray(0, 28 + json + 12)
  const cwd = await folderWithBox({ 'lying.glb': lying, 'nowhere.glb': nowhere, 'cut.glb': cut, 'empty.glb': Buffer.alloc(0) })
  for (const name of ['lying', 'nowhere', 'cut', 'empty', 'missing']) {
    const { code, stdout, stderr } = await ph(`inspect --turn ${name}.glb`, { cwd, columns: 80, env: { PH_PICTURES: 'blocks' } })
    expect([name, code, stdout]).toEqual([name, 1, ''])
    expect(stderr).toContain(`${name}.glb cannot be drawn.`)
  }
})

onTerminal('a name with escape codes in it reaches the terminal as text, and a picture has nothing to turn', async () => {
  const folder = temporaryFolder()
  const png = await (await import('../../support/media.ts')).pngOf(64, 32)
  writeFiles(folder, { [join('odd', 'T_\u001b]0;owned\u0007x.png')]: png })
  const terminal = openTerminal({ columns: 100, rows: 12 }, { PH_PICTURES: 'blocks' })
  terminal.type(`cd ${folder}/odd; clear; ph inspect --turn T_*; echo "ended with $?"`, 'Enter')
  await terminal.shows('a picture has nothing to turn')
  expect(terminal.screen().at(-1)).toContain('64 x 32 px')
  terminal.type('q')
  await expect.poll(terminal.written).toContain('ended with 0')
  expect(terminal.written()).not.toContain('\u001b]0;owned')
})
