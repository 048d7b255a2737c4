/** `@prop-house/client/pictures`: a picture of whatever file it is, to search a library by. */
export { type SearchPicture, searchPicture } from '../looks/search-picture.ts'
