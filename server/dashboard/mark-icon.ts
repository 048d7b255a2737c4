/** The mark as a file of its own: the icon in the browser's tab. */
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Mark } from './views/parts/mark.tsx'

export const markIcon = (): string => renderToStaticMarkup(createElement(Mark, { isIcon: true }))
