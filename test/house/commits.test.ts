/** The rule of a commit's first line, for what is about to land: the newest commit and those that main does not have yet. */
import { expect, test } from 'vitest'
import { git, hasHistory } from './project.ts'

const SUBJECT = /^[a-z.][a-z0-9,./ -]*: \S.{3,}[^.\s]$/

test.runIf(hasHistory)('a commit says `area: imperative summary`', () => {
  const main = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main', 'refs/heads/main').split('\n')[0]
  const ahead = main ? git('log', '--no-merges', '--format=%h %s', `${main}..HEAD`) : ''
  const newest = git('log', '--no-merges', '-1', '--format=%h %s')
  const lines = [...new Set(`${newest}\n${ahead}`.split('\n').filter((line) => line !== ''))]
  expect(lines.filter((line) => !SUBJECT.test(line.slice(line.indexOf(' ') + 1)))).toEqual([])
})
