/** What an id, from a file or from the bank, has to be to stand in a path; it may still be the name of a route. */
export const PATH_ID = /^[A-Za-z0-9._~:@+=,-]{1,128}$/;
