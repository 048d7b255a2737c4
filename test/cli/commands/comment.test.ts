/** ph comment: saying something about a prop, changing it, taking it back; typed, piped or written in an editor. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { commentsOf, innWith, say } from '../../support/discussion.ts'
import { startFront } from '../../support/http-front.ts'
import { noisyPng, pngOf } from '../../support/media.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()

/** An editor that keeps what it was shown, and does what the script says to the file. */
function editorThat(script: string) {
  const folder = temporaryFolder()
  const path = join(folder, 'my editor')
  const seen = join(folder, 'seen.txt')
  writeFileSync(path, `#!/bin/sh\ncp "$1" '${seen}'\necho "$1" > '${folder}/file'\n${script}\n`)
  chmodSync(path, 0o755)
  return {
    env: { VISUAL: `'${path}'` },
    seen: () => readFileSync(seen, 'utf8'),
    file: () => readFileSync(join(folder, 'file'), 'utf8').trim(),
  }
}
const writing = (text: string) => editorThat(`{ printf '${text}'; cat "$1"; } > "$1.new" && mv "$1.new" "$1"`)

test('words are a comment, with its version and who is named; names of nobody are said', async () => {
  const { at, as, barrel, push } = await innWith(server)
  const second = await push()
  const line = ['comment', 'SM_Barrel', 'too', 'thin,', '@mia', 'and @miaa;', 'ask a@b.test', '--version', 'v2']
  const { code, stdout } = await at.max(line)
  const [said] = await commentsOf(as.mia, barrel.entry_id)
  expect([code, stdout]).toEqual([
    0,
    `Commented on SM_Barrel v2: comment ${said.id}. It names mia. @miaa is no one's name here, or several people's: nobody is told by that.\n`,
  ])
  expect(said).toMatchObject({
    body: 'too thin, @mia and @miaa; ask a@b.test',
    object_id: second.object_id,
    mentions: [{ name: 'mia' }],
  })
})

test('a reply to a reply stands in its thread; that the thread is resolved is said', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const top = await say(as.mia, barrel.entry_id)
  const first = await ok('max', ['comment', 'SM_Barrel', '--reply', String(top.id), 'first'])
  expect(await ok('mia', `comment SM_Barrel --reply ${first.id} second`)).toMatchObject({ parent_id: top.id, body: 'second' })
  await as.max.post(`/comments/${top.id}/resolve`)
  expect((await at.max(`comment SM_Barrel --reply ${top.id} third`)).stdout).toMatch(
    new RegExp(`^Replied to mia on SM_Barrel: comment \\d+\\. The thread is resolved; \`ph resolve ${top.id} --undo\``),
  )
})

test('the text of standard input is taken whole, without the line end that pipes add', async () => {
  const { ok } = await innWith(server)
  const said = await ok('max', 'comment SM_Barrel -', { stdin: '# one\n\n  two\t\u001b[31m\n' })
  expect(said.body).toBe('# one\n\n  two\t\u001b[31m')
})

test('without a text the editor opens, with the thread below a line from which on all is cut off', async () => {
  const { at, as, barrel } = await innWith(server)
  const top = await say(as.mia, barrel.entry_id, { body: 'see\nhere' })
  const editor = writing('\\n  Thinner, please\\n# of which this is a line\\r\\n')
  const { code, stderr } = await at.max(`comment SM_Barrel --reply ${top.id}`, { columns: 80, env: editor.env })
  expect([code, stderr]).toEqual([0, 'Take back: ph undo\n'])
  expect((await commentsOf(as.mia, barrel.entry_id)).at(-1)?.body).toBe('  Thinner, please\n# of which this is a line')
  expect(editor.seen()).toMatch(/^\n\n# -+ All from this line on is cut off\. -+\n# What you say about SM_Barrel\./)
  expect(editor.seen()).toContain('# mia, just now:\n# | see\n# | here\n')
  expect(existsSync(editor.file())).toBe(false)
})

test('an empty text says nothing, also where the line of the cut was deleted', async () => {
  const { at, as, barrel } = await innWith(server)
  for (const editor of [editorThat(':'), editorThat('grep -v "cut off" "$1" > "$1.new"; mv "$1.new" "$1"')]) {
    const { code, stderr } = await at.max('comment SM_Barrel', { columns: 80, env: editor.env })
    expect([code, stderr]).toEqual([1, 'The text is empty: nothing was said.\n'])
    expect(existsSync(editor.file())).toBe(false)
  }
  expect(await commentsOf(as.mia, barrel.entry_id)).toEqual([])
})

test('what could not be sent after the editor is kept, and the person told where', async () => {
  const { at } = await innWith(server)
  const editor = editorThat(`head -c 4001 /dev/zero | tr '\\0' x > "$1"`)
  const { code, stderr } = await at.max('comment SM_Barrel', { columns: 200, env: editor.env })
  expect(code).toBe(2)
  expect(stderr).toContain(`What you wrote is kept in ${editor.file()}`)
  expect(stderr).toContain('takes up to 4,000 characters, and these are 4,001')
  expect(readFileSync(editor.file(), 'utf8')).toHaveLength(4001)
})

test('an editor that fails sends nothing', async () => {
  const { at, as, barrel } = await innWith(server)
  const { code, stderr } = await at.max('comment SM_Barrel', { columns: 80, env: editorThat('echo text > "$1"; exit 3').env })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/ended with 3\.[\s\S]*code --wait/)])
  expect(await commentsOf(as.mia, barrel.entry_id)).toEqual([])
})

test('pictures go along, in their order, each once; what is no PNG is sent as one', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.png'), await pngOf(3, 2))
  writeFileSync(
    join(cwd, 'photo.jpg'),
    await sharp(await pngOf(4, 8))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer(),
  )
  const { attachments } = await ok('max', 'comment SM_Barrel here --image photo.jpg --image a.png --image ./a.png', { cwd })
  expect(attachments).toMatchObject([
    { width: 8, height: 4 },
    { width: 3, height: 2 },
  ])
  expect((await at.max('comment SM_Barrel here --image a.png', { cwd })).stdout).toMatch(/, with 1 picture\.\n$/)
  expect(await commentsOf(as.mia, barrel.entry_id)).toHaveLength(2)
})

test('a file that is no picture, is missing or is too large is named before anything is sent', async () => {
  const { at, as, barrel } = await innWith(server)
  const cwd = temporaryFolder({ 'notes.txt': 'no picture', 'broken.jpg': '\u00ff' })
  writeFileSync(join(cwd, 'broken.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0, 0]))
  writeFileSync(join(cwd, 'large.png'), await noisyPng(1700, 1700))
  for (const [file, code, said] of [
    ['notes.txt', 2, 'notes.txt is no picture that ph knows.'],
    ['broken.jpg', 2, 'broken.jpg cannot be decoded'],
    ['large.png', 2, 'large.png is 9 MiB as PNG; at most 8 MiB are taken.'],
    ['gone.png', 1, 'There is no '],
  ] as const) {
    const ended = await at.max(`comment SM_Barrel here --image ${file}`, { cwd })
    expect([ended.code, ended.stderr], file).toEqual([code, expect.stringContaining(said)])
  }
  const many = Array.from({ length: 11 }, (_, n) => `--image ${n}.png`).join(' ')
  expect((await at.max(`comment SM_Barrel here ${many}`, { cwd })).stderr).toContain('11 pictures were given; at most 10')
  expect(await commentsOf(as.mia, barrel.entry_id)).toEqual([])
})

test.each([
  ['comment SM_Barrel', 2, 'There is no text, and no terminal to write it on.'],
  ['comment SM_Barrel - ', 2, 'The text is empty.'],
  ['comment SM_Barrel x --version v9', 1, 'SM_Barrel has no version v9.'],
  ['comment SM_Barrel x --reply 999999', 1, 'SM_Barrel has no comment 999999.'],
  ['comment SM_Barrel x --reply first', 2, '"first" is not the number of a comment.'],
  ['comment SM_Barrol x', 1, 'No entry is named "SM_Barrol".'],
  ['comment edit 999999 x', 1, 'There is no comment 999999'],
  ['comment delete', 2, '`ph comment delete` needs <comment>'],
])('ph %s is refused with code %i', async (line, code, said) => {
  const { at } = await innWith(server)
  const ended = await at.max(line)
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(said)])
})

test('an edit changes text or pictures; the editor begins with what was said', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id, { body: 'first @mia' })
  expect((await at.max(['comment', 'edit', String(id), 'second @olivia @mia'])).stdout).toBe(
    `Changed comment ${id}. It names olivia and mia.\n`,
  )
  const editor = writing('third ')
  await at.max(`comment edit ${id}`, { columns: 80, env: editor.env })
  expect(editor.seen()).toMatch(/^second @olivia @mia\n\n# -+ All/)
  expect((await commentsOf(as.mia, barrel.entry_id))[0]?.body).toBe('third second @olivia @mia')
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.png'), await pngOf(3, 2))
  writeFileSync(join(cwd, 'b.png'), await pngOf(5, 2))
  const widths = ({ attachments }: Json) => attachments.map(({ width }: Json) => width)
  expect(widths(await ok('max', `comment edit ${id} --image a.png`, { cwd }))).toEqual([3])
  expect(widths(await ok('max', `comment edit ${id} --image b.png`, { cwd }))).toEqual([3, 5])
  expect(widths(await ok('max', `comment edit ${id} fourth`, { cwd }))).toEqual([3, 5])
  const last = await ok('max', `comment edit ${id} --no-images --image b.png`, { cwd })
  expect([widths(last), last.body]).toEqual([[5], 'fourth'])
})

test('an editor that is closed without a change changes nothing', async () => {
  const { at, as, barrel } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id, { body: 'first' })
  expect((await at.max(`comment edit ${id}`, { columns: 80, env: editorThat(':').env })).stdout).toContain('stays as it was.')
  expect((await commentsOf(as.mia, barrel.entry_id))[0]?.updated_at).toBe(null)
})

test('only its author and admins change or delete it; others hear so before the editor opens or a question is asked', async () => {
  const { at, as, barrel } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id, { body: 'first' })
  const editor = editorThat(':')
  for (const line of [`comment edit ${id}`, `comment delete ${id}`]) {
    const { code, stderr } = await at.mia(line, { columns: 200, env: editor.env, typed: ['y\n'] })
    expect([code, stderr]).toEqual([1, expect.stringContaining('was written by max; only they or an admin of the workspace may')])
    expect(stderr).not.toContain('[y/N]')
  }
  expect(() => editor.seen()).toThrow()
  expect((await at.olivia(`comment edit ${id} better`)).code).toBe(0)
})

test('a deletion names what goes, asks, and takes the replies along', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id, { body: 'first\nline' })
  await say(as.mia, barrel.entry_id, { parent_id: id })
  const plan = `Comment ${id} of max would be deleted, with 1 reply: "first line"`
  expect((await at.max(`comment delete ${id} --dry-run`)).stdout).toBe(`${plan}\n`)
  const script = await at.max(`comment delete ${id}`)
  expect([script.code, script.stderr]).toEqual([2, expect.stringContaining(plan)])
  const declined = await at.max(`comment delete ${id}`, { columns: 80, typed: ['n\n'] })
  expect([declined.code, declined.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect(await ok('max', `comment delete ${id} --yes`)).toMatchObject({ dry_run: false, comment: { id }, replies: 1 })
  expect(await commentsOf(as.mia, barrel.entry_id)).toEqual([])
})

test('a key that only reads hears so before the editor opens', async () => {
  const { at, as, barrel } = await innWith(server)
  const { id } = await say(as.mia, barrel.entry_id)
  const editor = editorThat(':')
  for (const line of [
    'comment SM_Barrel',
    `comment edit ${id}`,
    `comment delete ${id} --yes`,
    `resolve ${id}`,
    `react ${id} up`,
  ]) {
    const { code, stderr } = await at.miaReads(line, { columns: 80, env: editor.env })
    expect([code, stderr], line).toEqual([1, expect.stringContaining('This key is read-only.')])
  }
  expect(() => editor.seen()).toThrow()
})

test('an older server, which shows no single comments: what needs that says so, the rest works', async () => {
  const { at, as, barrel, url } = await innWith(server)
  const { id } = await say(as.max, barrel.entry_id)
  const front = await startFront({ to: () => url, plain: true })
  const env = { PH_URL: front.url }
  for (const line of [`comment edit ${id} x`, `comment delete ${id} --yes`, `react ${id} up`])
    expect((await at.max(line, { env })).stderr).toContain('This server shows comments only with their prop')
  expect((await at.max(`comment SM_Barrel --reply ${id} x`, { env })).code).toBe(0)
  expect((await at.max(`resolve ${id}`, { env })).code).toBe(0)
})

test('a prop is named by its path as well, and a name that two have is refused', async () => {
  const { ok, at, as } = await innWith(server)
  await pushed(as.mia, [
    item({ asset_name: 'SM_Oak', origin_path: '/Game/A/SM_Oak' }),
    item({ asset_name: 'SM_Oak', origin_path: '/Game/B/SM_Oak' }),
  ])
  expect(await ok('max', 'comment /Game/A/SM_Oak here')).toMatchObject({ body: 'here' })
  expect((await at.max('comment SM_Oak here')).stderr).toContain('is the name of several entries')
})
