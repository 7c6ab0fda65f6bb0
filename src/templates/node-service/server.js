import { createApp } from './app.js';

const { PORT = '3000', HOST, RELEASE_VERSION = 'unreleased' } = process.env;

const app = createApp({ version: RELEASE_VERSION });
app.listen(Number(PORT), HOST, () => console.log(`listening on port ${PORT}`));
process.on('SIGTERM', () => app.close());
