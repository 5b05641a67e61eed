/**
 * The same crawl by Crawlee's CheerioCrawler as its guide shows it: title and links of every page go into a dataset,
 * unseen links into the request queue, both stored on disk. Fixed concurrency; all else as Crawlee sets it.
 */
import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio';

const task = JSON.parse(process.argv[2]);
log.setLevel(log.LEVELS.WARNING);

const configuration = new Configuration({
  storageClientOptions: { localDataDirectory: task.output },
  persistStorage: task.persist,
});
const crawler = new CheerioCrawler(
  {
    minConcurrency: task.concurrency,
    maxConcurrency: task.concurrency,
    maxRequestsPerCrawl: task.pages,
    async requestHandler({ $, request, response, pushData, enqueueLinks }) {
      const links = $('a[href]')
        .map((_, a) => new URL($(a).attr('href'), request.loadedUrl).href)
        .get();
      await pushData({ url: request.url, status: response.statusCode, title: $('title').text(), links });
      await enqueueLinks({ strategy: 'all' });
    },
  },
  configuration,
);
await crawler.run(task.seeds);
