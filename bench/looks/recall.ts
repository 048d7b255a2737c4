/**
 * How well the descriptor finds pictures again: `PH_FIXTURES=… npx node bench/looks/recall.ts /var/tmp/looks [--distractors 5000]`.
 *
 * Asked for are the pictures of real packages and the source pictures beside them, each changed in ten ways, among themselves and drawn
 * pictures of another seed than those the descriptor was learned from. The folder keeps the drawn ones.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomNumbers } from '../../sample/random.ts'
import { descriptor } from '../../server/looks/descriptor/descriptor.ts'
import type { Look } from '../../server/looks/embedder.ts'
import { drawnPng } from '../../test/support/drawn-props.ts'
import { Looks } from '../../test/support/looks.ts'
import { changeNames, pictureChanges } from '../../test/support/picture-changes.ts'
import { realPictures } from '../../test/support/real-pictures.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    distractors: { type: 'string', default: '5000' },
    weights: { type: 'string', default: String(descriptor.colourWeight) },
  },
})
const folder = positionals[0] ?? '/var/tmp/looks'
const distractors = Number(values.distractors)
const weights = values.weights.split(',').map(Number)

const real = await realPictures()
const looks = new Looks()
for (const picture of real) await looks.add(picture)
mkdirSync(folder, { recursive: true })
for (let index = 0; index < distractors; index++) {
  const file = join(folder, `${index}.png`)
  if (!existsSync(file)) writeFileSync(file, await drawnPng('others', index))
  await looks.add({ name: file, png: readFileSync(file) })
}

console.log(`${real.length} real pictures, ${distractors} drawn ones, colour weight ${weights.join(', ')}`)
const overall = weights.map(() => 0)
for (const change of changeNames) {
  const found = weights.map(() => 0)
  const lost: string[] = []
  for (const [index, picture] of real.entries()) {
    const changed = await pictureChanges[change](picture.png, randomNumbers(`${change} ${index}`))
    const questions: Look[] = await descriptor.questions(changed)
    for (const [at, weight] of weights.entries()) {
      const isFound = looks.isFound(index, looks.nearest(questions, { count: 10, weight }))
      if (isFound) found[at] = (found[at] ?? 0) + 1
      else if (at === 0) lost.push(picture.name)
    }
  }
  for (const at of weights.keys()) overall[at] = (overall[at] ?? 0) + (found[at] ?? 0) / real.length / changeNames.length
  console.log(`| ${change} | ${found.map((one) => (one / real.length).toFixed(3)).join(' | ')} | ${lost.slice(0, 12).join(', ')}`)
}
console.log(`| all | ${overall.map((one) => one.toFixed(4)).join(' | ')} |`)
