// A terminal's screen as SVG: text stays text, each run where its column is, and pictures of block characters become rectangles.

const cell = { width: 8.4, height: 18 }
const edge = 16
const fontPx = 14

/** Colours 0 to 7 of a terminal, as names of classes, and those that the pages have for light and dark. */
const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
const themes = {
  light: {
    paper: '#fffdf8',
    line: '#e4dccd',
    ink: '#241f1b',
    dim: '#6b6159',
    colours: ['#241f1b', '#a32d1c', '#2c6b2f', '#7c5200', '#2a5a8f', '#7d3f86', '#1c5d57', '#6b6159'],
  },
  dark: {
    paper: '#181613',
    line: '#3a352f',
    ink: '#f0eae0',
    dim: '#a89e92',
    colours: ['#a89e92', '#f0917e', '#93cf8f', '#e5b968', '#8fbcec', '#d3a6dd', '#82cabd', '#f0eae0'],
  },
}

/** `lines` as `tmux capture-pane -e` gives them; `title` says what they are. */
export function drawScreen(lines, { title, theme, columns }) {
  const rows = readRows(lines)
  const width = columns * cell.width + 2 * edge
  const height = rows.length * cell.height + 2 * edge
  const { paper, line } = themes[theme]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}">
<title>${escaped(title)}</title>
<style>${styleOf(themes[theme])}</style>
<rect x=".5" y=".5" width="${round(width - 1)}" height="${round(height - 1)}" rx="10" fill="${paper}" stroke="${line}"/>
<g transform="translate(${edge} ${edge})">
${blocksOf(rows)}${rows.flatMap(runsOf).join('\n')}
</g>
</svg>
`
}

const styleOf = ({ ink, dim, colours }) =>
  [
    `text{font:${fontPx}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${ink};white-space:pre}`,
    '.bold{font-weight:700}',
    `.dim{fill:${dim}}`,
    ...names.map((name, at) => `.${name}{fill:${colours[at]}}`),
  ].join('\n')

const plain = { bold: false, dim: false, fore: undefined, back: undefined }

/** Characters with how they look, and what their colours are: a name, or `#rrggbb`. A look goes on into the next line. */
function readRows(lines) {
  let look = plain
  return lines.map((line) => {
    const cells = []
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a terminal says colours
    for (const [, codes, character] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b])/gu)) {
      if (character === undefined) look = changed(look, codes.split(';').map(Number))
      else cells.push({ character, ...look })
    }
    return cells
  })
}

function changed(look, codes) {
  let next = look
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]
    const place = code === 38 || (code >= 30 && code <= 37) || code === 39 ? 'fore' : 'back'
    if (code === 0) next = plain
    else if (code === 1) next = { ...next, bold: true }
    else if (code === 2) next = { ...next, dim: true }
    else if (code === 22) next = { ...next, bold: false, dim: false }
    else if ((code === 38 || code === 48) && codes[at + 1] === 2) {
      next = { ...next, [place]: hexOf(codes.slice(at + 2, at + 5)) }
      at += 4
    } else if (code === 39 || code === 49) next = { ...next, [place]: undefined }
    else if ((code >= 30 && code <= 37) || (code >= 40 && code <= 47)) next = { ...next, [place]: names[code % 10] }
    else throw new Error(`The terminal says ${codes.join(';')}, which this picture does not know.`)
  }
  return next
}

const hexOf = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** Which quarters of a cell a character fills: upper left, upper right, lower left, lower right. */
const quarters = {
  ' ': '0000',
  '▘': '1000',
  '▝': '0100',
  '▖': '0010',
  '▗': '0001',
  '▀': '1100',
  '▄': '0011',
  '▌': '1010',
  '▐': '0101',
  '▚': '1001',
  '▞': '0110',
  '▛': '1110',
  '▜': '1101',
  '▙': '1011',
  '▟': '0111',
  '█': '1111',
}

const isBlock = ({ character, fore, back }) => quarters[character] !== undefined && (fore ?? back)?.startsWith('#')

/** All rectangles of one colour in one path, in units of a quarter. */
function blocksOf(rows) {
  const paths = new Map()
  for (const [row, cells] of rows.entries())
    for (const half of [0, 1]) {
      const line = cells.flatMap((one) =>
        isBlock(one) ? [0, 1].map((side) => colourOf(one, 2 * half + side)) : [undefined, undefined],
      )
      for (const { colour, from, length } of stretches(line))
        paths.set(colour, `${paths.get(colour) ?? ''}M${from} ${2 * row + half}h${length}v1h-${length}z`)
    }
  if (paths.size === 0) return ''
  const drawn = [...paths].map(([colour, path]) => `<path fill="${colour}" d="${path}"/>`).join('\n')
  return `<g transform="scale(${cell.width / 2} ${cell.height / 2})" shape-rendering="crispEdges">\n${drawn}\n</g>\n`
}

const colourOf = ({ character, fore, back }, quarter) => (quarters[character][quarter] === '1' ? fore : back)

function stretches(line) {
  const found = []
  for (const [at, colour] of line.entries()) {
    const last = found.at(-1)
    if (colour === undefined) continue
    if (last?.colour === colour && last.from + last.length === at) last.length++
    else found.push({ colour, from: at, length: 1 })
  }
  return found
}

/** Text without a gap in it and of one look, which begins in its column whatever font there is. */
function runsOf(cells, row) {
  const runs = []
  for (const [column, { character, bold, dim, fore, ...one }] of cells.entries()) {
    if (character === ' ' || isBlock({ character, fore, ...one })) continue
    const look = [bold && 'bold', dim && 'dim', fore].filter(Boolean).join(' ')
    const last = runs.at(-1)
    const gap = last ? column - last.column - last.text.length : 2
    if (gap <= 1 && last.look === look) last.text += ' '.repeat(gap) + character
    else runs.push({ column, text: character, look })
  }
  const y = round(row * cell.height + 13)
  return runs.map(({ column, text, look }) => {
    const length = text.length > 1 ? ` textLength="${round(text.length * cell.width)}"` : ''
    return `<text x="${round(column * cell.width)}" y="${y}"${look && ` class="${look}"`}${length}>${escaped(text)}</text>`
  })
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const round = (number) => Number(number.toFixed(1))
