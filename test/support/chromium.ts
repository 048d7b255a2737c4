/** A real browser for tests: Debian's Chromium without a window, with an empty profile of its own. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const executablePath = '/usr/bin/chromium'

/** Whether this machine has it; `.ci/run` sees to it. */
export const hasChromium = existsSync(executablePath)

/** It asks nobody about anything: updates, accounts, suggestions. */
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Closed, and its profile gone, after the test. */
export async function openChromium(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), 'ph-chromium-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath, args, reducedMotion: 'reduce', ...options })
  onTestFinished(async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  return context
}

/** Presses Tab until this is in focus: a name as it is read out. Fails when the whole page holds nothing of that name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    const focused = await nameOfFocus(page)
    if (focused === name) return
    passed.push(focused)
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to "${name}", only to ${[...new Set(passed)].map((one) => `"${one}"`).join(', ')}`)
}

/** Of a field its label, of everything else its words. */
const nameOfFocus = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const element = document.activeElement
    const labelled = element?.getAttribute('aria-labelledby')
    const label = labelled ? document.getElementById(labelled) : element?.labels?.[0]
    return (label ?? element)?.textContent?.trim() ?? ''
  })()`)
