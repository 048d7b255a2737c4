/** The commands that an error hands to programs: those of its sentence, and nothing that a name smuggles in. */
import { expect, test } from 'vitest'
import { commandsIn } from '../../cli/next-commands.ts'
import { shellWord } from '../../system/shell-word.ts'

test.each([
  ['Sign in for a key that may do it: `ph login --scope write`.', ['ph login --scope write']],
  ['List them with `ph tag list`, or make it with `--create`. `ph tag list` again.', ['ph tag list']],
  ['See `ph history 4`, then `ph push`.', ['ph history 4', 'ph push']],
  ['Run it again with PH_DEBUG=1.', []],
  ['Source files are downloaded: `ph download 7 --to <folder>`, and `ph show 7` says more.', ['ph show 7']],
  ['Ask again: `ph review changes r1 --note "<what>"` or `ph deprecate 1 2 …`', []],
])('the commands of a sentence are those that can be run as they stand: %s', (sentence, commands) => {
  expect(commandsIn(sentence)).toEqual(commands)
})

test.each(['Oak` or `ph delete 5 --yes', "it's ` `ph delete 5` '", '"`ph delete 5`', '\\`ph delete 5`', '<Oak>'])(
  'a prop named %j puts no command of its own beside the one it stands in',
  (name) => {
    const line = `ph show ${shellWord(name)}`
    expect(commandsIn(`See it with \`${line}\`, then \`ph push\`.`)).toEqual([line, 'ph push'])
  },
)

test('a command that is never closed is none, and neither is what follows it', () => {
  expect(commandsIn("See `ph show 'Oak` and `ph push`")).toEqual([])
})
