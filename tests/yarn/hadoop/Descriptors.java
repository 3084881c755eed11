import java.io.FileOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.util.Enumeration;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FileDescriptorSet;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;

/**
 * Descriptors OUT JAR... - writes a FileDescriptorSet with the protobuf messages of the generated classes in Hadoop's
 * jars. These are the messages that this version of Hadoop really uses.
 */
public class Descriptors {
  public static void main(String[] args) throws Exception {
    FileDescriptorSet.Builder all = FileDescriptorSet.newBuilder();
    TreeSet<String> done = new TreeSet<>();
    for (int i = 1; i < args.length; i++) {
      try (JarFile jar = new JarFile(args[i])) {
        for (Enumeration<JarEntry> e = jar.entries(); e.hasMoreElements();) {
          String name = e.nextElement().getName();
          if (!name.endsWith(".class") || name.contains("$") || !name.contains("/proto")) continue;
          Class<?> outer;
          Method descriptor;
          try {
            outer = Class.forName(name.substring(0, name.length() - 6).replace('/', '.'));
            descriptor = outer.getMethod("getDescriptor");
          } catch (NoSuchMethodException | NoClassDefFoundError notOurs) {
            continue;  // not a generated class, or generated for the protobuf version of Hadoop 2
          }
          if (descriptor.getReturnType() != FileDescriptor.class) continue;
          FileDescriptor file = (FileDescriptor) descriptor.invoke(null);
          if (done.add(outer.getName())) all.addFile(file.toProto());
        }
      }
    }
    try (OutputStream out = new FileOutputStream(args[0])) {
      all.build().writeTo(out);
    }
    System.out.println(done.size() + " files");
  }
}
