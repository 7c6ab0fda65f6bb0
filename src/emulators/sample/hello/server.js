import { createApp } from './app.js';

const { PORT = '3000', HOST, RELEASE_VERSION = 'v0.0.0', RELEASE_COMMIT = 'unreleased' } = process.env;

const app = createApp({ version: RELEASE_VERSION, commit: RELEASE_COMMIT });
app.listen(Number(PORT), HOST, () => console.log(`listening on ${PORT}`));
process.on('SIGTERM', () => app.close(() => process.exit(0)));
