// Every page, in light and dark, on a desk, a tablet and a phone, as axe and the browser see it, and by keyboard. PH_SHOTS=DIR keeps
// a picture of each.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasChromium, openChromium } from '../support/chromium.ts'
import { keyboardFaults, layoutFaults } from '../support/page-layout.ts'
import { type Scene, type Stage, stageScenes } from '../support/page-scenes.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
const contrast: RunOptions = { runOnly: ['color-contrast'] }

const widths = [
  { look: 'desk', viewport: { width: 1280, height: 900 } },
  { look: 'tablet', viewport: { width: 768, height: 1024 } },
  { look: 'phone', viewport: { width: 360, height: 740 } },
] as const
const looks = [
  ...widths.map((one) => ({ ...one, colours: 'light' as const, media: { colorScheme: 'light' as const } })),
  ...widths.map((one) => ({ ...one, colours: 'dark' as const, media: { colorScheme: 'dark' as const } })),
  { ...widths[0], colours: 'forced' as const, media: { forcedColors: 'active' as const } },
]

test.runIf(hasChromium)(
  'every page is right for everybody, by day and by night, by keyboard, at a desk, on a tablet and on a phone',
  async () => {
    const stage = await stageScenes()
    const page = await (await openChromium()).newPage()
    const complaints = watch(page, stage)
    for (const scene of stage.scenes.filter(({ isBefore }) => isBefore)) await inspect(page, scene)
    await stage.signIn(page)
    for (const scene of stage.scenes.filter(({ isBefore }) => !isBefore)) await inspect(page, scene)
    expect(complaints).toEqual([])
  },
  600_000,
)

/** What the browser refuses or misses, and what a page asks of anybody else. */
function watch(page: Page, { urls }: Stage): string[] {
  const complaints: string[] = []
  // Chromium also writes down that a page itself is a 404 or a 422, as some here are.
  page.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest()) complaints.push(`${page.url()}: ${response.url()}`)
  })
  page.on('request', (request) => {
    if (!urls.some((url) => request.url().startsWith(url))) complaints.push(`${page.url()} asks for ${request.url()}`)
  })
  return complaints
}

async function inspect(page: Page, { name, open }: Scene): Promise<void> {
  await page.emulateMedia({ forcedColors: 'none' })
  await open(page)
  await page.evaluate(axe)
  for (const { look: width, colours, viewport, media } of looks) {
    const look = `${width}-${colours}`
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', ...media })
    if (process.env.PH_SHOTS) await page.screenshot({ path: join(process.env.PH_SHOTS, `${name}-${look}.png`), fullPage: true })
    // In the dark only colours differ, and those of the person, which forced colours are, axe does not see.
    const asked = { light: rules, dark: contrast, forced: undefined }[colours]
    const { violations = [] } = asked ? await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(asked)})`) : {}
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary]))
    expect([name, look, found, await layoutFaults(page)]).toEqual([name, look, [], []])
  }
  await page.setViewportSize(widths[0].viewport)
  expect([name, await keyboardFaults(page)]).toEqual([name, []])
}
