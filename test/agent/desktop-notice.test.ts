/** The command lines by which desktop notices are shown: what is said never becomes a part of a script. */
import { expect, test } from 'vitest'
import { noticeCommand } from '../../agent/notices/desktop.ts'

const hostile = { title: '-e do shell script "id"', text: '"; Remove-Item x; $(id) `id` <toast> & \u202e\nmore' }

test.each(['linux', 'darwin', 'win32'] as const)('on %s the script is the same whatever is said', (platform) => {
  const [one, other] = [noticeCommand(hostile, platform), noticeCommand({ title: 'A', text: 'B' }, platform)]
  const isScript = (args: string[]) => args.slice(0, platform === 'win32' ? undefined : args.indexOf('--') + 1)
  expect(isScript(one.args)).toEqual(isScript(other.args))
})

test('what is said comes behind the end of the options, or in the environment', () => {
  expect(noticeCommand(hostile, 'linux').args.slice(-3)).toEqual([
    '--',
    hostile.title,
    '"; Remove-Item x; $(id) `id` &lt;toast&gt; &amp; \ufffd more',
  ])
  expect(noticeCommand(hostile, 'darwin').args.slice(-3, -1)).toEqual(['--', hostile.title])
  expect(noticeCommand(hostile, 'win32').env).toMatchObject({ PH_NOTICE_TITLE: hostile.title })
  expect(noticeCommand(hostile, 'win32').args.join(' ')).not.toContain('Remove-Item')
})

test('what is said is bounded', () => {
  const { args } = noticeCommand({ title: 'x'.repeat(5000), text: 'y'.repeat(5000) }, 'linux')
  expect(args.join('').length).toBeLessThan(1000)
})
