// Work that the agent gives to a process of its own.
import { expect, onTestFinished, test } from 'vitest'
import { OrderProcess } from '../../agent/running/order-process.ts'

const from = new URL('../../agent/watching/look-process.ts', import.meta.url).href

test('where the program was replaced while the agent runs, what it orders says so, and how to go on', async () => {
  const looks = new OrderProcess('./look-worker', { from, what: 'looks at files', version: '0.0.1' })
  onTestFinished(() => looks.close())
  await expect(looks.order('status', {}, {})).rejects.toMatchObject({
    code: 'AGENT_REPLACED',
    message: expect.stringMatching(/^ph \S+ was installed while the agent, 0\.0\.1, was running\.$/),
    next: 'Start the new one: `ph agent restart`.',
  })
})
