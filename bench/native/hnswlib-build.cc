// Builds a graph with hnswlib in some threads, as its own examples do, and prints how many seconds that took,
// and of how much processor time: the package for Node inserts in one thread only. Compiled and run by
// bench/nativeengines.ts.
//
//   hnswlib-build FILE-OF-F32 DIMENSIONS COUNT M EF-CONSTRUCTION THREADS
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>
#include "hnswlib/hnswlib.h"

int main(int argc, char **argv) {
  if (argc != 7) return 1;
  const size_t dimensions = atol(argv[2]), count = atol(argv[3]), links = atol(argv[4]), width = atol(argv[5]);
  const int threads = atoi(argv[6]);
  std::vector<float> vectors(dimensions * count);
  FILE *file = fopen(argv[1], "rb");
  if (!file || fread(vectors.data(), sizeof(float), vectors.size(), file) != vectors.size()) return 1;
  fclose(file);
  // The vectors have a length of 1: their inner product is the cosine.
  hnswlib::InnerProductSpace space(dimensions);
  hnswlib::HierarchicalNSW<float> graph(&space, count, links, width);
  const clock_t before = clock();
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t item = next++; item < count; item = next++) graph.addPoint(&vectors[item * dimensions], item);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; i++) others.emplace_back(work);
  work();
  for (auto &other : others) other.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  printf("%f %f\n", seconds.count(), double(clock() - before) / CLOCKS_PER_SEC);
}
