/** Our mark: a house with one prop in it, a crate in lamplight. Inline in pages, and by itself as the icon of the tab. */

/** Colours come from the stylesheet, where the icon has none from its own attributes. */
export function Mark({ isIcon = false }: { isIcon?: boolean }) {
  const colours = isIcon ? { wall: '#1c5d57', lamp: '#e2a63d' } : { wall: undefined, lamp: undefined }
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false" xmlns="http://www.w3.org/2000/svg">
      <path
        className="wall"
        fill={colours.wall}
        d="M14.6 2.5a2.2 2.2 0 0 1 2.8 0l11 9.1a2.2 2.2 0 0 1 .8 1.7v14a2.7 2.7 0 0 1-2.7 2.7h-21a2.7 2.7 0 0 1-2.7-2.7v-14c0-.7.3-1.3.8-1.7Z"
      />
      <g className="lamp" fill={colours.lamp}>
        <path d="m16 10.6 6.1 3.5L16 17.6l-6.1-3.5Z" />
        <path opacity=".78" d="m9.1 15.5 6.1 3.5v7l-6.1-3.5Z" />
        <path opacity=".56" d="m22.9 15.5-6.1 3.5v7l6.1-3.5Z" />
      </g>
    </svg>
  )
}
