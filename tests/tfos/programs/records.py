"""dfutil: a DataFrame as TFRecord files, and back."""
import argparse

from pyspark import SparkConf, SparkContext
from pyspark.sql import Row, SparkSession
from tensorflowonspark import dfutil

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output")
    args = parser.parse_args()
    sc = SparkContext(conf=SparkConf().setAppName("records"))
    spark = SparkSession.builder.getOrCreate()
    schema = ("number int, share double, name string, image binary, pair array<int>, one array<float>, "
              "names array<string>, flag boolean, parts array<binary>")
    rows = [(1, 1.5, "x", bytearray(b"\xff\x01"), [1, 2], [1.5], ["p", "q"], True, [bytearray(b"z")]),
            (None,) * 9,
            (3, 2.5, "ä", bytearray(b""), [], [2.5], ["only"], False, [bytearray(b"\xfe"), bytearray(b"")])]
    df = spark.createDataFrame(rows, schema).repartition(2)
    dfutil.saveAsTFRecords(df, args.output)
    loaded = dfutil.loadTFRecords(sc, args.output, binary_features=["image", "parts"])
    assert dfutil.isLoadedDF(loaded) and not dfutil.isLoadedDF(df)
    print(loaded.schema.simpleString())
    found = sorted((row.asDict() for row in loaded.collect()), key=lambda row: row["number"] or 0)
    assert found[0] == dict.fromkeys(loaded.columns)
    for row, expected in zip(found[1:], (rows[0], rows[2])):
        values = dict(zip(df.columns, expected))
        assert {name: value == values[name] for name, value in row.items()} == dict.fromkeys(df.columns, True), row

    records = spark.createDataFrame([Row(a=1, b="x"), Row(a=2, b="y")]).rdd.mapPartitions(
        dfutil.toTFExample([("a", "bigint"), ("b", "string")])).collect()
    assert dfutil.infer_schema(records[0][0]).simpleString() == "struct<a:bigint,b:string>"
    assert dfutil.fromTFExample(iter(records)) == [Row(a=1, b="x"), Row(a=2, b="y")]
    sc.stop()
