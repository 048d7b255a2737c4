/** What is wrong with a page as a browser lays it out, and as a keyboard goes through it. */
import type { Page } from 'playwright-core'

/** Text that is cut off or sticks out of its box, commands that break inside a word, and a page that is wider than the window. */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${layout})()`)

/** Shown text only: what screen readers alone get is clipped, and a menu may shorten the name that it opens with. */
const layout = `() => {
  const faults = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) faults.push('the page scrolls sideways by ' + (root.scrollWidth - root.clientWidth))
  const isShown = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.menu .name')) return false
    for (let one = element; one; one = one.parentElement) if (getComputedStyle(one).clipPath !== 'none') return false
    return true
  }
  const boxOut = (rect, parent) => {
    for (let box = parent; box && box !== root; box = box.parentElement) {
      const style = getComputedStyle(box)
      if (style.display === 'inline') continue
      const { left, right, top, bottom } = box.getBoundingClientRect()
      if (rect.left < left - 1.5 || rect.right > right + 1.5) return box
      if (style.overflowY !== 'visible' && box !== document.body && (rect.top < top - 1.5 || rect.bottom > bottom + 1.5)) return box
      if (style.position === 'absolute') return undefined
    }
    return undefined
  }
  const range = document.createRange()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!node.data.trim() || !isShown(parent)) continue
    range.selectNodeContents(node)
    for (const rect of range.getClientRects()) {
      const box = rect.width > 0 && boxOut(rect, parent)
      if (box) faults.push(JSON.stringify(node.data.trim()) + ' sticks out of <' + box.localName + ' class="' + box.className + '">')
    }
  }
  for (const word of document.querySelectorAll('.word')) {
    // No line of a phone holds such a name.
    if (word.textContent.length > 40 && !word.textContent.includes('/')) continue
    let last
    const letters = document.createTreeWalker(word, NodeFilter.SHOW_TEXT)
    for (let node = letters.nextNode(); node; node = letters.nextNode())
      for (let at = 0; at < node.length; at++) {
        range.setStart(node, at)
        range.setEnd(node, at + 1)
        const { top } = range.getBoundingClientRect()
        if (last && top > last.top + 4 && last.letter !== '/') faults.push(word.textContent + ' breaks before ' + node.data.slice(at))
        last = { top, letter: node.data[at] }
      }
  }
  for (const input of document.querySelectorAll('input[readonly]'))
    if (input.scrollWidth > input.clientWidth) faults.push(input.value + ' is wider than its field')
  return faults
}`

/** More presses than any page has stops. */
const mostStops = 80

/** Tab comes to everything that can be used, in the order of reading, and shows where it is. */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const stops = await page.evaluate<string[]>(`(${markStops})()`)
  const reached: string[] = []
  const faults: string[] = []
  for (let presses = 0; presses < mostStops; presses++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<{ name: string; isSeen: boolean } | null>(`(${stopNow})()`)
    // Behind the last one it begins again, on some pages after a stop at the browser itself.
    if (!stop || stop.name === reached[0]) break
    reached.push(stop.name)
    if (!stop.isSeen) faults.push(`${stop.name} does not show that it has the focus`)
  }
  if (reached.join('\n') !== stops.join('\n')) faults.push(`Tab goes to ${reached.join(', ')} instead of ${stops.join(', ')}`)
  return faults
}

/** Of radio buttons one is a stop: the one that is chosen, or else the first. The focus begins at the top of the page. */
const markStops = `() => {
  const all = [...document.querySelectorAll('a[href], button, input, summary')]
  const isStop = (element) => {
    if (!element.checkVisibility() || element.disabled || element.type === 'hidden') return false
    if (element.type !== 'radio') return true
    const group = all.filter(({ type, name }) => type === 'radio' && name === element.name)
    return element === (group.find(({ checked }) => checked) ?? group[0])
  }
  const stops = all.filter(isStop)
  for (const [at, element] of stops.entries())
    element.dataset.stop = at + ' ' + (element.textContent.trim() || element.getAttribute('aria-label') || element.name)
  document.body.tabIndex = -1
  document.body.focus()
  document.body.removeAttribute('tabindex')
  return stops.map(({ dataset }) => dataset.stop)
}`

/** The browser scrolls to what has the focus with its next frame. */
const stopNow = `async () => {
  const element = document.activeElement
  if (!element || element === document.body || element.tabIndex < 0) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(element.closest('.choice') ?? element)
  const isInside = () => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    return left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1
  }
  if (!isInside()) await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  return { name: element.dataset.stop ?? element.outerHTML, isSeen: isInside() && outlineStyle !== 'none' && outlineWidth !== '0px' }
}`
